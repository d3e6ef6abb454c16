import { createServer } from 'node:http';
import pg from 'pg';
import { DOCUMENT_KIND } from '../../dist/modules/analytics/day-documents.js';

/**
 * The floor of the analytics reads: plain http and pg. `/tools`, `/productivity` and `/activity` send the stored text of the
 * range, `/row` reads one indexed row, `/fragments` reads the stored bytes of `/tokens` in groups and sends them on.
 */
const { URL: url, ORG, START, END } = process.env;
const pool = new pg.Pool({ connectionString: url, max: 10 });
const STORED = `SELECT string_agg(x.body, ',' ORDER BY x.day) AS body FROM analytics_days d
  JOIN day_documents x ON x.org_id = d.org_id AND x.kind = $2 AND x.day = d.day AND x.version = d.version
 WHERE d.org_id = $1 AND d.day >= $3 AND d.day <= $4`;

const text = async (sql, values) => `{"data":[${(await pool.query(sql, values)).rows[0].body}]}`;
const routes = {
  '/tools': () => text(STORED, [ORG, DOCUMENT_KIND.tools, START, END]),
  '/productivity': () => text(STORED, [ORG, DOCUMENT_KIND.productivity, START, END]),
  '/activity': () =>
    text(
      `SELECT string_agg(a.body, ',' ORDER BY a.day) AS body FROM bench_activity a WHERE a.day >= $1 AND a.day <= $2`,
      [START, END],
    ),
  '/row': () => text(`SELECT d.version AS body FROM analytics_days d WHERE d.org_id = $1 AND d.day = $2`, [ORG, END]),
};

const server = createServer((request, response) => {
  const work =
    request.url === '/fragments' ? sendFragments(response) : routes[request.url]().then((body) => response.end(body));
  work.catch((error) => response.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

/** As many bytes at once as the service reads. */
async function sendFragments(response) {
  const days = (
    await pool.query(`SELECT x.day::text AS day FROM day_documents x WHERE x.org_id = $1 AND x.kind = $2 ORDER BY 1`, [
      ORG,
      DOCUMENT_KIND.tokens,
    ])
  ).rows;
  for (const { day } of days) {
    if (day < START || day > END) continue;
    const { rows } = await pool.query(
      `SELECT x.fragment FROM day_documents x JOIN analytics_days d ON d.org_id = x.org_id AND d.day = x.day AND d.version = x.version
        WHERE x.org_id = $1 AND x.kind = $2 AND x.day = $3`,
      [ORG, DOCUMENT_KIND.tokens, day],
    );
    for (const { fragment } of rows)
      if (!response.write(fragment)) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}
