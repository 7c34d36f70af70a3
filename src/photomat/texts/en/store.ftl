### Where copies of results are kept. For operators.
did-move-results = move copies of results
did-sweep-results = delete unused copies
results-moved = { $count } copies ({ $megabytes } MB) moved to { $store }; { $left } stayed where they are.
results-swept = { $count } unused files deleted in { $store }.

alert-results-store = The store of results takes no copies
alert-results-store-now =
    { $count } copies wait for the store, the oldest for { $minutes } min. Customers get their results as usual; the copies are on the disk of the instance that made them meanwhile.

    👉 <code>photomat check</code> says what is wrong: the bucket, the keys or the endpoint. Once the store answers, the copies go there by themselves.

setting-about-results-store = Where copies of results are kept: a folder, or s3://bucket/prefix. Empty: results in DATA_DIR.
setting-about-aws-endpoint-url = The server of the bucket, such as https://storage.example. Empty: AWS itself.
setting-about-aws-region = The region of the bucket. Empty: us-east-1.
setting-about-aws-access-key-id = The id of the bucket's key.
setting-about-aws-secret-access-key = The bucket's key itself.
setting-about-aws-session-token = Its token, for temporary keys.
