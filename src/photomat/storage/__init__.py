"""Files in a place that every instance reaches: a folder, or a bucket that speaks S3. It knows neither jobs nor rows."""
