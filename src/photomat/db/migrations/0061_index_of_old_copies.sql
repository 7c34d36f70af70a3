-- Retention of result copies looks through this index, oldest first. GIFs are never deleted (Telegram makes videos of them), so
-- every pass read all there ever were before it found the first copy that may go.
--
-- Building an index locks out writers of its table: about a second for each million rows. The next migration puts it in place.
LOCK TABLE job_outputs IN SHARE MODE;
CREATE INDEX job_outputs_old_copies ON job_outputs (kept_at)
    WHERE kept_as IS NOT NULL AND file_id IS NOT NULL AND media IN ('audio', 'document', 'video')
          AND mime IS DISTINCT FROM 'image/gif';
