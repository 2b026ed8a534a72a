"""What a stage spends against what its rule said of it."""


def spends_at_most(plan, cost):
    """Tell whether a plan keeps within a cost, in every currency."""
    bound, spent = cost.largest_loss(), plan.cost
    loss = spent.largest_loss()
    within = bound is None or (loss is not None and loss <= bound)
    return within and spent.mu_squared() <= cost.mu_squared() and spent.rho() <= cost.rho()
