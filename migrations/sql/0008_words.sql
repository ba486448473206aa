-- Full text: every passage in the language of its source, ranked by BM25 from what its column holds.

-- Returns the language that a source's metadata name, by its English name or as in ISO 639 ("de", "de-AT",
-- "deu"): `english` where they name none, `simple` where Postgres 14 has no rules for it.
CREATE FUNCTION language_named(tag text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (
        SELECT CASE
            WHEN t.tag IN ('arabic', 'ar', 'ara') THEN 'arabic'
            WHEN t.tag IN ('armenian', 'hy', 'hye', 'arm') THEN 'armenian'
            WHEN t.tag IN ('basque', 'eu', 'eus', 'baq') THEN 'basque'
            WHEN t.tag IN ('catalan', 'ca', 'cat') THEN 'catalan'
            WHEN t.tag IN ('danish', 'da', 'dan') THEN 'danish'
            WHEN t.tag IN ('dutch', 'nl', 'nld', 'dut') THEN 'dutch'
            WHEN t.tag IN ('english', 'en', 'eng') THEN 'english'
            WHEN t.tag IN ('finnish', 'fi', 'fin') THEN 'finnish'
            WHEN t.tag IN ('french', 'fr', 'fra', 'fre') THEN 'french'
            WHEN t.tag IN ('german', 'de', 'deu', 'ger') THEN 'german'
            WHEN t.tag IN ('greek', 'el', 'ell', 'gre') THEN 'greek'
            WHEN t.tag IN ('hindi', 'hi', 'hin') THEN 'hindi'
            WHEN t.tag IN ('hungarian', 'hu', 'hun') THEN 'hungarian'
            WHEN t.tag IN ('indonesian', 'id', 'ind') THEN 'indonesian'
            WHEN t.tag IN ('irish', 'ga', 'gle') THEN 'irish'
            WHEN t.tag IN ('italian', 'it', 'ita') THEN 'italian'
            WHEN t.tag IN ('lithuanian', 'lt', 'lit') THEN 'lithuanian'
            WHEN t.tag IN ('nepali', 'ne', 'nep') THEN 'nepali'
            WHEN t.tag IN ('norwegian', 'no', 'nor', 'nb', 'nn', 'nob', 'nno') THEN 'norwegian'
            WHEN t.tag IN ('portuguese', 'pt', 'por') THEN 'portuguese'
            WHEN t.tag IN ('romanian', 'ro', 'ron', 'rum') THEN 'romanian'
            WHEN t.tag IN ('russian', 'ru', 'rus') THEN 'russian'
            WHEN t.tag IN ('serbian', 'sr', 'srp') THEN 'serbian'
            WHEN t.tag IN ('spanish', 'es', 'spa') THEN 'spanish'
            WHEN t.tag IN ('swedish', 'sv', 'swe') THEN 'swedish'
            WHEN t.tag IN ('tamil', 'ta', 'tam') THEN 'tamil'
            WHEN t.tag IN ('turkish', 'tr', 'tur') THEN 'turkish'
            WHEN t.tag IN ('yiddish', 'yi', 'yid') THEN 'yiddish'
            ELSE 'simple'
        END
          FROM (SELECT lower(split_part(translate(coalesce(tag, 'english'), '_', '-'), '-', 1)) AS tag) AS t
    );

-- Returns the text-search configuration of a language, `simple` for one that Postgres 14 does not know: it
-- neither leaves out stop words nor cuts endings.
CREATE FUNCTION text_configuration(language text) RETURNS regconfig
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE language
        WHEN 'arabic' THEN 'pg_catalog.arabic'::regconfig
        WHEN 'armenian' THEN 'pg_catalog.armenian'::regconfig
        WHEN 'basque' THEN 'pg_catalog.basque'::regconfig
        WHEN 'catalan' THEN 'pg_catalog.catalan'::regconfig
        WHEN 'danish' THEN 'pg_catalog.danish'::regconfig
        WHEN 'dutch' THEN 'pg_catalog.dutch'::regconfig
        WHEN 'english' THEN 'pg_catalog.english'::regconfig
        WHEN 'finnish' THEN 'pg_catalog.finnish'::regconfig
        WHEN 'french' THEN 'pg_catalog.french'::regconfig
        WHEN 'german' THEN 'pg_catalog.german'::regconfig
        WHEN 'greek' THEN 'pg_catalog.greek'::regconfig
        WHEN 'hindi' THEN 'pg_catalog.hindi'::regconfig
        WHEN 'hungarian' THEN 'pg_catalog.hungarian'::regconfig
        WHEN 'indonesian' THEN 'pg_catalog.indonesian'::regconfig
        WHEN 'irish' THEN 'pg_catalog.irish'::regconfig
        WHEN 'italian' THEN 'pg_catalog.italian'::regconfig
        WHEN 'lithuanian' THEN 'pg_catalog.lithuanian'::regconfig
        WHEN 'nepali' THEN 'pg_catalog.nepali'::regconfig
        WHEN 'norwegian' THEN 'pg_catalog.norwegian'::regconfig
        WHEN 'portuguese' THEN 'pg_catalog.portuguese'::regconfig
        WHEN 'romanian' THEN 'pg_catalog.romanian'::regconfig
        WHEN 'russian' THEN 'pg_catalog.russian'::regconfig
        WHEN 'serbian' THEN 'pg_catalog.serbian'::regconfig
        WHEN 'spanish' THEN 'pg_catalog.spanish'::regconfig
        WHEN 'swedish' THEN 'pg_catalog.swedish'::regconfig
        WHEN 'tamil' THEN 'pg_catalog.tamil'::regconfig
        WHEN 'turkish' THEN 'pg_catalog.turkish'::regconfig
        WHEN 'yiddish' THEN 'pg_catalog.yiddish'::regconfig
        ELSE 'pg_catalog.simple'::regconfig
    END;

-- Returns the words of a text or a query. Hyphens and slashes part words: Postgres reads "SKU-123" as -123,
-- "read/write" as the path of a file, and "2026-10-01" as two negative numbers.
CREATE FUNCTION words_of(language text, content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector(text_configuration(language), translate(content, '-/', '  '));

REVOKE ALL ON FUNCTION language_named(text), text_configuration(text), words_of(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION language_named(text), text_configuration(text), words_of(text, text) TO verifier_app;

ALTER TABLE source
    ADD COLUMN language text NOT NULL
        GENERATED ALWAYS AS (language_named(metadata ->> 'language')) STORED;
CREATE INDEX source_by_language ON source (tenant_id, language);

-- Computes every passage anew: about 10,000 a second, and the table is locked meanwhile.
ALTER TABLE passage
    DROP COLUMN search,
    ADD COLUMN language text NOT NULL DEFAULT 'english';
ALTER TABLE passage
    ADD COLUMN search tsvector GENERATED ALWAYS AS (words_of(language, input)) STORED;
UPDATE passage p
   SET language = s.language
  FROM source s
  JOIN document_version v ON v.tenant_id = s.tenant_id AND v.source_id = s.source_id
  JOIN chunk c ON c.tenant_id = v.tenant_id AND c.version_id = v.version_id
 WHERE s.language <> 'english'
   AND p.tenant_id = c.tenant_id
   AND p.input_hash = c.input_hash;
CREATE INDEX passage_search ON passage USING gin (search);

-- In the order of hashes, so that writers don't deadlock.
CREATE FUNCTION give_language(version_ids bigint[], language text) RETURNS void
    LANGUAGE plpgsql
    SET search_path = verifier, public, extensions, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
    tenant text := current_tenant();
    hashes bytea[] := ARRAY(
        SELECT DISTINCT c.input_hash
          FROM chunk c
         WHERE c.tenant_id = tenant AND c.version_id = ANY (version_ids)
         ORDER BY c.input_hash);
BEGIN
    PERFORM
       FROM passage p
      WHERE p.tenant_id = tenant AND p.input_hash = ANY (hashes) AND p.language <> language
      ORDER BY p.input_hash
        FOR NO KEY UPDATE;
    UPDATE passage AS p
       SET language = give_language.language
     WHERE p.tenant_id = tenant AND p.input_hash = ANY (hashes) AND p.language <> give_language.language;
END
$$;

-- A passage has the language of its source; of several sources that hold it, of the one that said so last.
CREATE FUNCTION give_chunks_language() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
AS $$
DECLARE
    tenant text := current_tenant();
BEGIN
    PERFORM give_language(v.version_ids, v.language)
       FROM (SELECT s.language, array_agg(v.version_id) AS version_ids
               FROM (SELECT DISTINCT a.version_id FROM added a) AS a
               JOIN document_version v ON v.tenant_id = tenant AND v.version_id = a.version_id
               JOIN source s ON s.tenant_id = tenant AND s.source_id = v.source_id
              WHERE s.language <> 'english'
              GROUP BY s.language
              ORDER BY s.language) AS v;
    RETURN NULL;
END
$$;
CREATE TRIGGER chunk_language AFTER INSERT ON chunk
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION give_chunks_language();

CREATE FUNCTION give_source_language() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = verifier, public, extensions, pg_temp
AS $$
BEGIN
    PERFORM give_language(
        ARRAY(SELECT v.version_id
                FROM document_version v
               WHERE v.tenant_id = current_tenant() AND v.source_id = NEW.source_id),
        NEW.language);
    RETURN NULL;
END
$$;
CREATE TRIGGER source_language AFTER UPDATE OF metadata ON source
    FOR EACH ROW WHEN (OLD.language IS DISTINCT FROM NEW.language)
    EXECUTE FUNCTION give_source_language();
REVOKE ALL ON FUNCTION give_language(bigint[], text), give_chunks_language(), give_source_language() FROM PUBLIC;

-- A word of a query: as passages of that language hold it, and what one occurrence of it is worth.
CREATE TYPE asked_word AS (language text, lexeme text, query tsquery, worth float8);

-- `bm25` is the sum over the query's words; `coverage` its share of what they could be worth at most, in [0, 1].
CREATE TYPE worded_chunk AS (
    source_id bigint, version_id bigint, ordinal integer, bm25 float8, coverage float8, plan text
);

-- Returns the words of a query in each language that the tenant's sources have; of a long one those that stand
-- in it most often, the first of equals.
CREATE FUNCTION asked_words(tenant text, words text, most integer) RETURNS asked_word[]
    LANGUAGE sql STABLE
    RETURN (
        SELECT array_agg(ROW (l.name, w.lexeme, w.query, NULL)::asked_word ORDER BY l.name, w.lexeme)
          FROM (SELECT c.name
                  FROM unnest(ARRAY[
                           'arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish',
                           'french', 'german', 'greek', 'hindi', 'hungarian', 'indonesian', 'irish', 'italian',
                           'lithuanian', 'nepali', 'norwegian', 'portuguese', 'romanian', 'russian', 'serbian',
                           'simple', 'spanish', 'swedish', 'tamil', 'turkish', 'yiddish'
                       ]) AS c (name)
                 WHERE EXISTS (SELECT FROM source s WHERE s.tenant_id = tenant AND s.language = c.name)
               ) AS l
         CROSS JOIN LATERAL (
               SELECT v.lexeme,
                      -- The text form of a tsquery: quoted, with quotes and backslashes doubled.
                      ('''' || replace(replace(v.lexeme, '\', '\\'), '''', '''''') || '''')::tsquery AS query
                 FROM unnest(words_of(l.name, words)) AS v
                ORDER BY cardinality(v.positions) DESC, v.positions[1], v.lexeme
                LIMIT most) AS w
    );

-- Returns how often a word stands in a passage. ts_rank of one word is 0.1 (1 + 1/4 + … + 1/n²) / (π²/6), and
-- what the sum lacks of π²/6 is 1 / (n + 1/2) up to a term in 1/n³, so rounding gives n itself.
CREATE FUNCTION occurrences(search tsvector, query tsquery) RETURNS float8
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN round(1 / (1.64493406685 * (1.0000001 - 10 * ts_rank(search, query)::float8)) - 0.5);

-- Returns how many passages a sample stands for that was taken in the order of their hashes, which lie evenly
-- in [0, 1): k of them end at the k-th part of n (Bar-Yossef et al., Counting Distinct Elements in a Data
-- Stream, 2002). The error is about 1 / sqrt(k); a sample that ended before `most` is all there are.
CREATE FUNCTION counted_by_hash(hashes bytea[], most integer) RETURNS float8
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN hashes IS NULL THEN 0
                WHEN cardinality(hashes) < most THEN cardinality(hashes)
                ELSE (most - 1) * 281474976710656.0
                     / greatest(1, ('x' || encode(substr(hashes[most], 1, 6), 'hex'))::bit(48)::bigint) END;

-- What a word is worth (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009; never negative).
CREATE FUNCTION word_worth(passages float8, holding float8) RETURNS float8
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ln(1 + (greatest(passages - holding, 0) + 0.5) / (holding + 0.5));

-- BM25 of one word, k1 = 1.2, b = 0.75: at most 2.2 times its worth. Lengths are bytes of the embedded input.
CREATE FUNCTION word_weight(worth float8, times float8, bytes float8, mean_bytes float8) RETURNS float8
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN worth * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * bytes / mean_bytes));

REVOKE ALL ON FUNCTION asked_words(text, text, integer), occurrences(tsvector, tsquery),
    counted_by_hash(bytea[], integer), word_worth(float8, float8),
    word_weight(float8, float8, float8, float8) FROM PUBLIC;

-- Counts the words of a query in a large store and says which passages to rank: see search_words. `left_out` is
-- what those words may weigh together that make no passage a candidate of wanted[1].
CREATE FUNCTION plan_words(
    tenant text, rank_limit integer, INOUT asked asked_word[],
    OUT mean_bytes float8, OUT wanted tsquery[], OUT left_out float8
)
    LANGUAGE plpgsql STABLE
    SET search_path = verifier, public, extensions, pg_temp
    SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
    passages float8;
    counted asked_word[] := '{}';
    word asked_word;
    counts float8[] := '{}';
    hashes bytea[];
BEGIN
    SELECT array_agg(s.input_hash ORDER BY s.input_hash), avg(s.bytes)
      INTO hashes, mean_bytes
      FROM (SELECT p.input_hash, octet_length(p.input) AS bytes
              FROM passage p
             WHERE p.tenant_id = tenant
             ORDER BY p.input_hash
             LIMIT 400) AS s;
    passages := counted_by_hash(hashes, 400);
    FOREACH word IN ARRAY asked LOOP
        hashes := ARRAY(
            SELECT p.input_hash
              FROM passage p
             WHERE p.tenant_id = tenant AND p.search @@ word.query AND p.language = word.language
             ORDER BY p.input_hash
             LIMIT 50);
        counts := counts || counted_by_hash(hashes, 50);
        word.worth := word_worth(passages, counts[cardinality(counts)]);
        counted := counted || word;
    END LOOP;
    asked := counted;
    WITH held AS (
           SELECT a.language, a.query, a.worth, a.holding,
                  sum(a.holding) OVER (ORDER BY a.holding, a.language, a.lexeme) <= rank_limit AS is_rare
             FROM ROWS FROM (unnest(asked), unnest(counts)) AS a (language, lexeme, query, worth, holding)
            WHERE a.holding > 0),
         frequent AS (
           SELECT h.language, count(*) AS words, 2.2 * sum(h.worth) AS weight,
                  string_agg(h.query::text, ' & ') AS query
             FROM held h
            WHERE NOT h.is_rare
            GROUP BY h.language)
    SELECT ARRAY[
               (SELECT string_agg(DISTINCT h.query::text, ' | ') FROM held h WHERE h.is_rare)::tsquery,
               (SELECT string_agg('(' || f.query || ')', ' | ') FROM frequent f WHERE f.words > 1)::tsquery,
               (SELECT string_agg(DISTINCT h.query::text, ' | ') FROM held h)::tsquery],
           coalesce((SELECT max(f.weight) FROM frequent f), 0)
      INTO wanted, left_out;
END
$$;
REVOKE ALL ON FUNCTION plan_words(text, integer, asked_word[]) FROM PUBLIC;

-- Makes search_words(words, k, filter, source_ids, as_of, at_basis, exact_limit, rank_limit).
DO $do$
DECLARE
    -- Up to exact_limit chunks in scope are all ranked, and words are worth what they are among them. Beyond:
    -- 1. each word is counted, from the passages with the lowest hashes where many have it;
    -- 2. the passages that hold one of the rarest words become candidates, then those that hold all of the
    --    frequent words, then those that hold any word, up to rank_limit, in the order of hashes;
    -- 3. they are ranked by all words. A passage that 2 left out holds only words left out there: where these
    --    together can't outweigh the last of the k, the ranking is exact and no more candidates are needed.
    branch CONSTANT text := $branch$
            SELECT count(*) INTO in_scope FROM (SELECT FROM %1$s LIMIT exact_limit + 1) AS probe;
            IF in_scope <= exact_limit THEN
                RETURN QUERY
                WITH held AS MATERIALIZED (
                       SELECT c.source_id, c.version_id, c.ordinal, p.language,
                              octet_length(p.input) AS bytes,
                              CASE WHEN p.search @@ any_word THEN p.search || ''::tsvector END AS search
                         FROM %1$s c
                         JOIN passage p ON p.tenant_id = tenant AND p.input_hash = c.input_hash),
                     size AS MATERIALIZED (SELECT count(*) AS chunks, avg(h.bytes) AS bytes FROM held h),
                     match AS MATERIALIZED (
                       SELECT h.source_id, h.version_id, h.ordinal, h.language, h.bytes, a.lexeme,
                              occurrences(h.search, a.query) AS times
                         FROM held h
                         JOIN unnest(asked) a ON a.language = h.language
                        WHERE h.search @@ a.query),
                     word AS MATERIALIZED (
                       SELECT a.language, a.lexeme, word_worth(size.chunks, count(m.lexeme)) AS worth
                         FROM unnest(asked) a
                         CROSS JOIN size
                         LEFT JOIN match m ON m.language = a.language AND m.lexeme = a.lexeme
                        GROUP BY a.language, a.lexeme, size.chunks),
                     most AS MATERIALIZED (
                       SELECT w.language, 2.2 * sum(w.worth) AS bm25 FROM word w GROUP BY w.language),
                     weighed AS (
                       SELECT m.source_id, m.version_id, m.ordinal, m.language,
                              sum(word_weight(w.worth, m.times, m.bytes, size.bytes)) AS bm25
                         FROM match m
                         JOIN word w ON w.language = m.language AND w.lexeme = m.lexeme
                         CROSS JOIN size
                        GROUP BY m.source_id, m.version_id, m.ordinal, m.language)
                SELECT g.source_id, g.version_id, g.ordinal, g.bm25, g.bm25 / most.bm25, 'exact'
                  FROM weighed g
                  JOIN most ON most.language = g.language
                 ORDER BY 4 DESC, 1, 3
                 LIMIT k;
                RETURN;
            END IF;
            SELECT w.* INTO asked, mean_bytes, wanted, left_out FROM plan_words(tenant, rank_limit, asked) AS w;
            FOR step IN 1..3 LOOP
                CONTINUE WHEN wanted[step] IS NULL;
                IF step = 1 THEN
                    -- Nothing but the index of words: by the planner's guess at words that it has no figures
                    -- of, reading all passages looks cheaper.
                    PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_seqscan', 'off', true);
                    hashes := ARRAY(
                        SELECT p.input_hash
                          FROM passage p
                         WHERE p.tenant_id = tenant AND p.search @@ wanted[1]);
                    PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_seqscan', 'on', true);
                ELSE
                    hashes := hashes || ARRAY(
                        SELECT p.input_hash
                          FROM passage p
                          JOIN %1$s c ON c.input_hash = p.input_hash
                         WHERE p.tenant_id = tenant AND p.search @@ wanted[step]
                         ORDER BY p.input_hash
                         LIMIT greatest(k, rank_limit - least(cardinality(hashes), rank_limit / 2)));
                END IF;
                CONTINUE WHEN step = 1 AND left_out > 0 AND cardinality(hashes) < k
                              OR step = 2 AND cardinality(hashes) < k;
                SELECT array_agg(ROW (r.source_id, r.version_id, r.ordinal, r.bm25, r.bm25 / r.most, 'exact')
                                     ::worded_chunk ORDER BY r.bm25 DESC, r.source_id, r.ordinal)
                  INTO ranked
                  FROM (WITH candidate AS MATERIALIZED (
                               SELECT c.source_id, c.version_id, c.ordinal, p.language,
                                      octet_length(p.input) AS bytes, p.search || ''::tsvector AS search
                                 FROM (SELECT DISTINCT u.input_hash FROM unnest(hashes) AS u (input_hash)) AS h
                                 JOIN %1$s c ON c.input_hash = h.input_hash
                                 JOIN passage p ON p.tenant_id = tenant AND p.input_hash = h.input_hash),
                             word AS MATERIALIZED (
                               SELECT a.language, a.query, a.worth,
                                      2.2 * sum(a.worth) OVER (PARTITION BY a.language) AS most
                                 FROM unnest(asked) a),
                             match AS MATERIALIZED (
                               SELECT d.source_id, d.version_id, d.ordinal, d.bytes, w.worth, w.most,
                                      occurrences(d.search, w.query) AS times
                                 FROM word w
                                 JOIN candidate d ON d.language = w.language
                                WHERE d.search @@ w.query)
                        SELECT m.source_id, m.version_id, m.ordinal, m.most,
                               sum(word_weight(m.worth, m.times, m.bytes, mean_bytes)) AS bm25
                          FROM match m
                         GROUP BY m.source_id, m.version_id, m.ordinal, m.most
                         ORDER BY bm25 DESC, m.source_id, m.ordinal
                         LIMIT k) AS r;
                is_exact := cardinality(ranked) >= k AND ranked[k].bm25 >= left_out
                            OR step = 1 AND left_out = 0
                            OR step = 3 AND cardinality(hashes) < rank_limit;
                EXIT WHEN is_exact OR cardinality(hashes) >= rank_limit AND cardinality(ranked) >= k;
            END LOOP;
            RETURN QUERY
            SELECT r.source_id, r.version_id, r.ordinal, r.bm25, r.coverage,
                   CASE WHEN is_exact THEN 'exact' ELSE 'capped' END
              FROM unnest(ranked) AS r;$branch$;
BEGIN
    EXECUTE format($ddl$
        CREATE FUNCTION search_words(
            words text, k integer, filter jsonpath, source_ids bigint[], as_of timestamptz, at_basis bigint,
            exact_limit integer DEFAULT 3000, rank_limit integer DEFAULT 2000
        )
            RETURNS SETOF worded_chunk
            LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
            SET search_path = verifier, public, extensions, pg_temp
            SET plan_cache_mode = force_custom_plan
            SET jit = off
            SET max_parallel_workers_per_gather = 0
            SET enable_indexscan = on
            SET enable_seqscan = on
        AS $search$
        #variable_conflict use_variable
        DECLARE
            tenant text := current_tenant();
            moment timestamptz;
            known bigint;
            asked asked_word[] := asked_words(tenant, words, 64);
            any_word tsquery;
            in_scope bigint;
            mean_bytes float8;
            wanted tsquery[];
            left_out float8;
            hashes bytea[] := '{}';
            ranked worded_chunk[];
            is_exact boolean;
        BEGIN
            IF asked IS NULL THEN
                RETURN;
            END IF;
            rank_limit := greatest(rank_limit, k);
            any_word := (SELECT string_agg(DISTINCT a.query::text, ' | ')::tsquery FROM unnest(asked) a);
            SELECT r.as_of, r.at_basis INTO moment, known FROM resolve_scope(as_of, at_basis) AS r;
            IF moment IS NOT NULL THEN%1$s
            ELSIF filter IS NOT NULL THEN%2$s
            ELSE%3$s
            END IF;
        END
        $search$$ddl$,
        format(branch, 'past_chunks(tenant, source_ids, filter, moment, known)'),
        format(branch, 'filtered_chunks(tenant, source_ids, filter)'),
        format(branch, 'current_chunks(tenant, source_ids)'));
END
$do$;
REVOKE ALL ON FUNCTION
    search_words(text, integer, jsonpath, bigint[], timestamptz, bigint, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    search_words(text, integer, jsonpath, bigint[], timestamptz, bigint, integer, integer) TO verifier_app;
