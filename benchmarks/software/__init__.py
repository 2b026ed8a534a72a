"""General privacy libraries asked for means of tensors and shapes; see ``__main__``."""
