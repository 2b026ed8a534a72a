"use strict";
/* Turns the meshes of the page: by the graphics card where the browser lets us, else on a plain canvas. */
(function () {
  const SKIN = [219, 178, 153], SMOOTH = 9000, FILLED = 0.96;
  const KEY = [-0.51, 0.55, 0.65], FILL = [0.9, 0, 0.45];

  function read(text, kind) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new kind(bytes.buffer);
  }

  /* Normals at vertices: of the triangles about each, weighed so that those of a sphere are exact
     however it is cut (N. Max, Weights for computing vertex normals from facet normals, 1999). */
  function normals(points, faces) {
    const out = new Float32Array(points.length);
    for (let f = 0; f < faces.length; f += 3) for (let corner = 0; corner < 3; corner++) {
      const [a, b, c] = [0, 1, 2].map(k => 3 * faces[f + (corner + k) % 3]);
      const u = [0, 1, 2].map(k => points[b + k] - points[a + k]);
      const v = [0, 1, 2].map(k => points[c + k] - points[a + k]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const weight = 1 / (u.reduce((s, x) => s + x * x, 1e-12) * v.reduce((s, x) => s + x * x, 1e-12));
      for (let k = 0; k < 3; k++) out[a + k] += weight * n[k];
    }
    for (let i = 0; i < out.length; i += 3) {
      const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
      for (let k = 0; k < 3; k++) out[i + k] /= length;
    }
    return out;
  }

  /* Quarter the triangles of a coarse mesh, so that no facet is seen: vertices stay, and what is new
     between two of them lies on the curve that is at right angles to both of their normals. */
  function quarter(mesh) {
    const points = Array.from(mesh.points), normal = Array.from(mesh.normal), faces = [], known = new Map();
    const off = (i, j) => [0, 1, 2].reduce((sum, k) => sum + normal[3 * i + k] * (points[3 * j + k] - points[3 * i + k]), 0);
    function middle(i, j) {
      const key = i < j ? i * 1e7 + j : j * 1e7 + i;
      if (!known.has(key)) {
        known.set(key, points.length / 3);
        const a = off(i, j), b = off(j, i), n = [0, 1, 2].map(k => normal[3 * i + k] + normal[3 * j + k]);
        const length = Math.hypot(...n) || 1;
        for (let k = 0; k < 3; k++) {
          const bent = (a * normal[3 * i + k] + b * normal[3 * j + k]) / 8;
          points.push((points[3 * i + k] + points[3 * j + k]) / 2 - bent);
          normal.push(n[k] / length);
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
    const places = read(canvas.dataset.vertices, Int16Array), first = new Map();
    const points = Float32Array.from(places, x => x / 32000);
    // Vertices at one place are one, so that no seam is seen.
    const faces = read(canvas.dataset.faces, Uint32Array).map(i => {
      const place = places.slice(3 * i, 3 * i + 3).join();
      if (!first.has(place)) first.set(place, i);
      return first.get(place);
    });
    let mesh = {points, faces, normal: normals(points, faces)};
    while (mesh.faces.length < 3 * SMOOTH) mesh = quarter(mesh);
    return mesh;
  }

  /* How bright a place is, by its normal: two lamps. */
  function light(x, y, z) {
    const along = lamp => (1 + lamp[0] * x + lamp[1] * y + lamp[2] * z) / 2;
    return 0.03 + 1.05 * along(KEY) ** 2 + 0.15 * along(FILL) ** 2;
  }

  /* Columns of the turn. */
  function turned(yaw, pitch) {
    const c = Math.cos(yaw), s = Math.sin(yaw), d = Math.cos(pitch), t = Math.sin(pitch);
    return [c, t * s, -d * s, 0, d, t, s, -t * c, d * c];
  }

  /* By the graphics card: every pixel has its own normal and depth. Nothing where there is none. */
  function bySurface(canvas, mesh) {
    const gl = canvas.getContext("webgl2", {antialias: true, preserveDrawingBuffer: true});
    if (!gl) return null;
    const vec = lamp => "vec3(" + lamp.map(x => x.toFixed(4)).join(",") + ")";
    const texts = [
      [gl.VERTEX_SHADER, `#version 300 es
        layout(location = 0) in vec3 point; layout(location = 1) in vec3 normal;
        uniform mat3 turn; out vec3 n;
        void main() { vec3 p = turn * point; n = turn * normal; gl_Position = vec4(${FILLED} * p.xy, -0.5 * p.z, 1.0); }`],
      [gl.FRAGMENT_SHADER, `#version 300 es
        precision highp float; in vec3 n; out vec4 colour;
        float along(vec3 lamp, vec3 m) { float a = (1.0 + dot(lamp, m)) / 2.0; return a * a; }
        void main() {
          vec3 m = normalize(gl_FrontFacing ? n : -n);
          float bright = 0.03 + 1.05 * along(${vec(KEY)}, m) + 0.15 * along(${vec(FILL)}, m);
          colour = vec4(min(bright * ${vec(SKIN.map(v => v / 255))}, 1.0), 1.0);
        }`],
    ];
    const program = gl.createProgram();
    for (const [kind, text] of texts) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
    gl.useProgram(program);
    [mesh.points, mesh.normal].forEach((numbers, place) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.faces, gl.STATIC_DRAW);
    gl.enable(gl.DEPTH_TEST);
    const turn = gl.getUniformLocation(program, "turn");
    return (side, yaw, pitch) => {
      gl.viewport(0, 0, side, side);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniformMatrix3fv(turn, false, turned(yaw, pitch));
      gl.drawElements(gl.TRIANGLES, mesh.faces.length, gl.UNSIGNED_INT, 0);
    };
  }

  /* Without a graphics card: triangles of one colour each, the farthest first. */
  function byTriangles(canvas, mesh) {
    const {points, faces, normal} = mesh, count = faces.length / 3, pen = canvas.getContext("2d");
    const placed = new Float32Array(points.length), bright = new Float32Array(points.length / 3);
    const depth = new Float32Array(count), order = new Uint32Array(count).map((_, i) => i);
    return (side, yaw, pitch) => {
      const m = turned(yaw, pitch);
      const rotate = (p, i) => [0, 1, 2].map(k => m[k] * p[i] + m[k + 3] * p[i + 1] + m[k + 6] * p[i + 2]);
      for (let i = 0; i < points.length; i += 3) {
        placed.set(rotate(points, i), i);
        bright[i / 3] = light(...rotate(normal, i));
      }
      for (let f = 0; f < count; f++)
        depth[f] = placed[3 * faces[3 * f] + 2] + placed[3 * faces[3 * f + 1] + 2] + placed[3 * faces[3 * f + 2] + 2];
      order.sort((a, b) => depth[a] - depth[b]);
      pen.clearRect(0, 0, side, side);
      pen.lineWidth = side / 500;
      const x = i => side / 2 * (1 + FILLED * placed[3 * i]), y = i => side / 2 * (1 - FILLED * placed[3 * i + 1]);
      for (const f of order) {
        const a = faces[3 * f], b = faces[3 * f + 1], c = faces[3 * f + 2];
        const shade = (bright[a] + bright[b] + bright[c]) / 3;
        pen.fillStyle = pen.strokeStyle = "rgb(" + SKIN.map(v => Math.min(255, Math.round(v * shade))).join(",") + ")";
        pen.beginPath();
        pen.moveTo(x(a), y(a)); pen.lineTo(x(b), y(b)); pen.lineTo(x(c), y(c));
        pen.closePath(); pen.fill(); pen.stroke();
      }
    };
  }

  /* A canvas that was tried in one way can be drawn on in no other: another takes its place. */
  function fresh(canvas) {
    const other = canvas.cloneNode();
    canvas.replaceWith(other);
    return other;
  }

  function start(canvas, flat) {
    const mesh = load(canvas);
    let paint = flat ? null : bySurface(canvas, mesh);
    canvas.dataset.drawn = paint ? "surface" : "triangles";
    if (!paint) paint = byTriangles(canvas = fresh(canvas), mesh);
    let yaw = +(canvas.dataset.yaw || 0.35), pitch = +(canvas.dataset.pitch || 0.08), grip = null, waiting = false;

    function draw() {
      waiting = false;
      const side = Math.max(1, Math.round(canvas.clientWidth * (window.devicePixelRatio || 1)));
      if (canvas.width !== side) canvas.width = canvas.height = side;
      paint(side, yaw, pitch);
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
    // Browsers take the card away from a page that has too many pictures, or when it fails.
    canvas.addEventListener("webglcontextlost", () => start(canvas, true));
    canvas.parentElement.classList.add("live");
    draw();
  }

  document.querySelectorAll(".turn canvas").forEach(canvas => start(canvas, false));
})();
