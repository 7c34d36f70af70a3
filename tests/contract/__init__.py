"""The same promises, checked against fakes and simulators."""
