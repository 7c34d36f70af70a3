### Настройки метрик, отчётов об ошибках и трассировок, как их объясняет страница настроек.
setting-about-sentry-dsn = Сюда уходят отчёты о неожиданных ошибках; нужен дополнительный пакет `sentry`.
setting-about-sentry-environment = Как эта установка там называется.
setting-about-otel-exporter-otlp-endpoint = Сюда уходят трассировки (OTLP поверх HTTP); нужен дополнительный пакет `otel`.
setting-about-otel-exporter-otlp-headers = Что требует этот сборщик, например ключ: `имя=значение`, через запятую.
