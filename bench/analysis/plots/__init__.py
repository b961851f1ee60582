"""The sixteen plots of a report, drawn from result files only."""
