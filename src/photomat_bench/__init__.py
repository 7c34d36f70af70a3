"""The benchmark: what a flow costs, beside baselines and other job engines measured in the same run."""
