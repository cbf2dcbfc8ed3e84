"""Its place puts this folder on the path of imports, for `oracles`."""
