"""Statistics, plots and reports of benchmark results. Reads result folders, starts no server and measures nothing."""
