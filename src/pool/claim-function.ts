import { JOBS, QUEUE_SCHEMA } from "./schema.ts";

/** The name changes with its behavior: two versions may share a pool, and only the owner of a function may replace it. */
export const CLAIM = "pi_geon.claim_2";

export const CLAIM_SIGNATURE = `${CLAIM}(text, text, text)`;

/**
 * Claims the next job of a pool for a worker. Claims wait for each other, so that none exceeds a limit: pg-boss's own group
 * limits count before they claim, and overshoot. It is one function in the database, because all claims wait for the lock,
 * which must not be held during round trips to a client.
 *
 * The order: runs whose worker died or left, because they already had a place; then foreground; then the requester with the
 * fewest runs under way; then the order of posting.
 *
 * With the index, a claim finds the first job of each requester without reading a long queue: it skips from one requester to
 * the next. The update does what pg-boss's fetch does to a row, because pg-boss cannot fetch a given job; a test compares
 * the two. Times come from the clock, since the transaction may have begun long before it got the lock.
 */
export const CLAIM_FUNCTION = `
	CREATE INDEX IF NOT EXISTS pi_geon_waiting_2 ON ${JOBS} (name, group_id, state DESC, priority DESC, created_on)
		WHERE state < 'active' AND NOT blocked;
	CREATE OR REPLACE FUNCTION ${CLAIM}(queue text, pool_name text, claimer text)
	RETURNS TABLE (claimed uuid, claimed_attempt int) LANGUAGE plpgsql AS $$
	DECLARE
		lane pi_geon.lanes;
		next uuid;
	BEGIN
		PERFORM pg_advisory_xact_lock(hashtext('pi_geon ' || pool_name));
		SELECT * INTO lane FROM pi_geon.lanes WHERE pool = pool_name;
		LOOP
			WITH RECURSIVE running AS (
				SELECT group_id, count(*) AS n FROM ${JOBS} WHERE name = queue AND state = 'active' AND group_id IS NOT NULL GROUP BY 1
			), requester (id) AS (
				(SELECT group_id FROM ${JOBS} WHERE name = queue AND state < 'active' AND NOT blocked ORDER BY group_id LIMIT 1)
				UNION ALL
				SELECT (SELECT group_id FROM ${JOBS} WHERE name = queue AND state < 'active' AND NOT blocked
					AND group_id > requester.id ORDER BY group_id LIMIT 1) FROM requester WHERE requester.id IS NOT NULL
			)
			SELECT waiting.id INTO next FROM requester
				LEFT JOIN running ON running.group_id = requester.id
				CROSS JOIN LATERAL (SELECT id, state, priority, created_on FROM ${JOBS}
					WHERE name = queue AND group_id = requester.id AND state < 'active' AND NOT blocked
						AND start_after <= clock_timestamp()
					ORDER BY state DESC, priority DESC, created_on LIMIT 1) AS waiting
				WHERE (lane.per_requester IS NULL OR coalesce(running.n, 0) < lane.per_requester)
					AND (lane.total IS NULL OR (SELECT coalesce(sum(n), 0) FROM running) < lane.total)
				ORDER BY waiting.state DESC, waiting.priority DESC, coalesce(running.n, 0), waiting.created_on LIMIT 1;
			EXIT WHEN next IS NULL;
			UPDATE ${JOBS} SET state = 'active', started_on = ${QUEUE_SCHEMA}.job_now(), heartbeat_on = clock_timestamp(),
				retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END
				WHERE name = queue AND id = next AND state < 'active' RETURNING retry_count INTO claimed_attempt;
			IF FOUND THEN
				INSERT INTO pi_geon.progress (job, attempt, worker, claimed_at, first_claimed_at)
					VALUES (next, claimed_attempt, claimer, clock_timestamp(), clock_timestamp())
					ON CONFLICT (job) DO UPDATE SET attempt = excluded.attempt, worker = excluded.worker, claimed_at = excluded.claimed_at;
				claimed := next;
				RETURN NEXT;
				RETURN;
			END IF;
			-- Cancelled since we looked: the next one.
		END LOOP;
	END $$;
`;
