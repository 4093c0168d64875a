"""Results that only change on purpose: what the models are given, and the items of pages whose parts grow. See `frozen.pages`."""
