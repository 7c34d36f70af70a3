"""`/admin`: the operator's console on the phone. Looks things up in `reports`, acts through `operators`, holds no rule."""
