"""What a person types, at the command or in the studio, becomes a plan, records, a release."""
