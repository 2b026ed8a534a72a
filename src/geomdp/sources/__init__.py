"""Whatever comes in becomes rows, once: one record at a time, by that record and the plan alone."""
