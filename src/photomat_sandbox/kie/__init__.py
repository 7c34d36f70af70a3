"""A simulated Kie.ai: the jobs protocol, the older families, callbacks, uploads and real result files.

It answers as the vendor's documents and recordings say: HTTP 200 also for refusals, the verdict in the body's `code`;
credits taken at creation; callbacks that repeat, arrive late or never. Everything lives in memory, tasks and uploads also on
disk where a store is named.

Words in a prompt make a task end in a way worth showing (the prompt may hold anything else beside them):

- `[fail]` fails with failCode "400" and a content-policy text, the credits come back;
- `[slow]` takes a minute;
- `[empty]` succeeds with no result at all;
- `[never]` stays "generating" for ever;
- `[many]` gives four results.
"""
