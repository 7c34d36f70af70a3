"""Files customers give to an order: examined, recorded by their source, uploaded to Kie when needed; no copy is kept."""
