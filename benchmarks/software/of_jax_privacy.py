"""jax-privacy: one step of gradient descent on the squared distance, which ends in the mean.

Gradients are clipped to the public radius, noise is Gaussian: (epsilon, delta), not pure.
"""

import dp_accounting
import jax
import jax.numpy as jnp
import numpy as np
from answering import Question, answer
from jax_privacy import clipped_grad, noise_addition


def squared(point: jax.Array, record: jax.Array) -> jax.Array:
    """Half the squared distance, of which the mean is the minimiser."""
    return 0.5 * jnp.sum((point - record) ** 2)


def means(question: Question) -> np.ndarray:
    """Private means by one noisy step from the public centre."""
    n = len(question.vectors)
    gradient = clipped_grad(
        squared,
        l2_clip_norm=question.radius,
        normalize_by=float(n),
        batch_argnums=1,
        keep_batch_dim=False,
    )
    moves = gradient.sensitivity(dp_accounting.NeighboringRelation.REPLACE_ONE)
    sigma = dp_accounting.get_sigma_gaussian(question.epsilon, question.delta) * moves
    center, records = jnp.asarray(question.center), jnp.asarray(question.vectors)
    step = gradient(center, records)
    answers = []
    for seed in np.random.default_rng().integers(2**31, size=question.times):
        noise = noise_addition.gaussian_privatizer(stddev=float(sigma), prng_key=int(seed))
        noisy, _ = noise.update(step, noise.init(step))
        answers.append(np.asarray(center - noisy))
    return np.array(answers)


answer(means)
