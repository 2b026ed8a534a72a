"use strict";
/* Turns the meshes of the page: triangles sorted by depth on a plain canvas, two lamps, no library. */
(function () {
  const SKIN = [219, 178, 153], SMOOTH = 9000;

  function read(text, kind) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new kind(bytes.buffer);
  }

  /* Sum of the triangles' normals at each vertex, which looks smoother than one normal a triangle. */
  function normals(points, faces) {
    const out = new Float32Array(points.length);
    for (let f = 0; f < faces.length; f += 3) {
      const [a, b, c] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
      const u = [0, 1, 2].map(k => points[b + k] - points[a + k]);
      const v = [0, 1, 2].map(k => points[c + k] - points[a + k]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      for (const i of [a, b, c]) for (let k = 0; k < 3; k++) out[i + k] += n[k];
    }
    for (let i = 0; i < out.length; i += 3) {
      const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
      for (let k = 0; k < 3; k++) out[i + k] /= length;
    }
    return out;
  }

  /* Quarter the triangles of a coarse mesh, positions and normals alike, so that no facet is seen. */
  function quarter(mesh) {
    const points = Array.from(mesh.points), normal = Array.from(mesh.normal), faces = [], known = new Map();
    function middle(i, j) {
      const key = i < j ? i * 1e7 + j : j * 1e7 + i;
      if (!known.has(key)) {
        known.set(key, points.length / 3);
        for (let k = 0; k < 3; k++) {
          points.push((points[3 * i + k] + points[3 * j + k]) / 2);
          normal.push((normal[3 * i + k] + normal[3 * j + k]) / 2);
        }
      }
      return known.get(key);
    }
    for (let f = 0; f < mesh.faces.length; f += 3) {
      const [a, b, c] = mesh.faces.slice(f, f + 3);
      const ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      faces.push(a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca);
    }
    return {points: Float32Array.from(points), normal: Float32Array.from(normal), faces: Uint32Array.from(faces)};
  }

  function load(canvas) {
    const points = Float32Array.from(read(canvas.dataset.vertices, Int16Array), x => x / 32000);
    const faces = read(canvas.dataset.faces, Uint32Array);
    let mesh = {points, faces, normal: normals(points, faces)};
    while (mesh.faces.length < 3 * SMOOTH) mesh = quarter(mesh);
    return mesh;
  }

  function light(x, y, z) {
    const key = (1 + (-0.51 * x + 0.55 * y + 0.65 * z)) / 2, fill = (1 + (0.9 * x + 0.45 * z)) / 2;
    return 0.03 + 1.05 * key * key + 0.15 * fill * fill;
  }

  function start(canvas) {
    const {points, faces, normal} = load(canvas), count = faces.length / 3;
    const turned = new Float32Array(points.length), bright = new Float32Array(points.length / 3);
    const depth = new Float32Array(count), order = new Uint32Array(count).map((_, i) => i);
    const pen = canvas.getContext("2d");
    let yaw = 0.35, pitch = 0.08, grip = null, waiting = false;

    function turn() {
      const c = Math.cos(yaw), s = Math.sin(yaw), d = Math.cos(pitch), t = Math.sin(pitch);
      const rotate = (p, i) => {
        const x = c * p[i] + s * p[i + 2], z = c * p[i + 2] - s * p[i];
        return [x, d * p[i + 1] - t * z, t * p[i + 1] + d * z];
      };
      for (let i = 0; i < points.length; i += 3) {
        turned.set(rotate(points, i), i);
        bright[i / 3] = light(...rotate(normal, i));
      }
      for (let f = 0; f < count; f++)
        depth[f] = turned[3 * faces[3 * f] + 2] + turned[3 * faces[3 * f + 1] + 2] + turned[3 * faces[3 * f + 2] + 2];
      order.sort((a, b) => depth[a] - depth[b]);
    }

    function draw() {
      waiting = false;
      const side = Math.max(1, Math.round(canvas.clientWidth * (window.devicePixelRatio || 1)));
      if (canvas.width !== side) canvas.width = canvas.height = side;
      turn();
      pen.clearRect(0, 0, side, side);
      pen.lineWidth = side / 500;
      const x = i => side / 2 * (1 + 0.96 * turned[3 * i]), y = i => side / 2 * (1 - 0.96 * turned[3 * i + 1]);
      for (const f of order) {
        const a = faces[3 * f], b = faces[3 * f + 1], c = faces[3 * f + 2];
        const shade = (bright[a] + bright[b] + bright[c]) / 3;
        pen.fillStyle = pen.strokeStyle = "rgb(" + SKIN.map(v => Math.min(255, Math.round(v * shade))).join(",") + ")";
        pen.beginPath();
        pen.moveTo(x(a), y(a)); pen.lineTo(x(b), y(b)); pen.lineTo(x(c), y(c));
        pen.closePath(); pen.fill(); pen.stroke();
      }
      canvas.dataset.yaw = yaw.toFixed(3);
      canvas.dataset.pitch = pitch.toFixed(3);
    }

    function later() { if (!waiting) { waiting = true; requestAnimationFrame(draw); } }

    function move(dx, dy) {
      yaw += dx;
      pitch = Math.max(-1.5, Math.min(1.5, pitch + dy));
      later();
    }

    canvas.addEventListener("pointerdown", e => {
      grip = [e.clientX, e.clientY];
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", e => {
      if (!grip) return;
      move((e.clientX - grip[0]) / 120, (e.clientY - grip[1]) / 120);
      grip = [e.clientX, e.clientY];
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { grip = null; });
    canvas.addEventListener("keydown", e => {
      const step = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1]}[e.key];
      if (step) { e.preventDefault(); move(...step); }
    });
    window.addEventListener("resize", later);
    canvas.parentElement.classList.add("live");
    draw();
  }

  document.querySelectorAll(".turn canvas").forEach(start);
})();
