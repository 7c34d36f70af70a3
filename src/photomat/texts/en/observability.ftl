### Settings of metrics, error reports and traces, as the settings page explains them.
setting-about-sentry-dsn = Unexpected errors are reported there; needs the extra `sentry`.
setting-about-sentry-environment = How this installation is called there.
setting-about-otel-exporter-otlp-endpoint = Traces are sent there (OTLP over HTTP); needs the extra `otel`.
setting-about-otel-exporter-otlp-headers = What that collector asks for, such as a key: `name=value`, by comma.
