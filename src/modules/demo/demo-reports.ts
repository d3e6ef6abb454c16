import { HOUR_MS } from '../../common/time/durations.js';
import type { UtcDay } from '../../common/time/utc-day.js';
import type { NewReport } from '../readiness/readiness.service.js';
import { type Criterion, CRITERIA } from './demo-criteria.js';
import { digestOf, Random } from './demo-random.js';

const DAYS_BETWEEN = 30;
const MONTHS = 12;

interface Repository {
  readonly url: string;
  /** By path. */
  readonly apps: Readonly<Record<string, string>>;
  /** Approximate share of criteria met. */
  readonly maturity: readonly [before: number, now: number];
}

export const REPOSITORIES: readonly Repository[] = [
  {
    url: 'https://git.demo.example/acme/storefront-api',
    apps: {
      'services/catalog': 'Products, prices and stock',
      'services/orders': 'Takes orders and follows them to delivery',
      'services/payments': 'Talks to payment providers',
    },
    maturity: [0.42, 0.7],
  },
  {
    url: 'https://git.demo.example/acme/storefront-web',
    apps: {
      'apps/admin': 'What the back office works with',
      'apps/shop': 'The web shop',
      'packages/ui': 'Components that both share',
    },
    maturity: [0.36, 0.62],
  },
  {
    url: 'git@git.demo.example:acme/mobile-app.git',
    apps: { android: 'The shop for Android, in Kotlin', ios: 'The shop for iOS, in Swift' },
    maturity: [0.26, 0.5],
  },
  {
    url: 'https://git.demo.example/acme/data-pipelines',
    apps: { dags: 'Nightly imports and exports', models: 'Tables for reports, in SQL' },
    maturity: [0.2, 0.44],
  },
  {
    url: 'https://git.demo.example/acme/infrastructure',
    apps: { '.': 'Clusters, networks and deployments, in Terraform' },
    maturity: [0.32, 0.58],
  },
];

export interface PastReport {
  readonly at: Date;
  readonly report: NewReport;
}

/** Newest first; at least one. */
export function reportsOf(repository: Repository, from: UtcDay, today: UtcDay): PastReport[] {
  const random = new Random('reports', repository.url);
  const offset = random.integer(1, 5);
  const reports: PastReport[] = [];
  for (let back = 0; ; back++) {
    const day = today.plus(-offset - back * DAYS_BETWEEN);
    if (day.isBefore(from)) break;
    const at = new Date(day.startsAt().getTime() + random.between(7, 18) * HOUR_MS);
    reports.push({ at, report: evaluate(repository, back, random) });
  }
  return reports.length > 0 ? reports : [{ at: today.startsAt(), report: evaluate(repository, 0, random) }];
}

function evaluate(repository: Repository, monthsBack: number, random: Random): NewReport {
  const [before, now] = repository.maturity;
  const progress = 1 - monthsBack / MONTHS;
  // Evaluations vary a little.
  const maturity = before + (now - before) * progress + random.between(-0.02, 0.02);
  const paths = Object.keys(repository.apps);
  return {
    repoUrl: repository.url,
    apps: new Map(paths.map((path) => [path, { description: repository.apps[path] ?? '' }])),
    report: new Map(CRITERIA.map((criterion) => [criterion.id, judge(repository.url, criterion, paths, maturity)])),
    commitHash: digestOf([repository.url, String(monthsBack)])
      .toString('hex')
      .slice(0, 40),
    branch: 'main',
    hasLocalChanges: false,
    hasNonRemoteCommits: random.chance(0.1),
    modelUsed: { id: monthsBack > 5 ? 'claude-sonnet-4-5' : 'claude-opus-4-5', reasoningEffort: 'medium' },
    agentVersion: `0.${70 - 2 * monthsBack}.${random.integer(0, 4)}`,
  };
}

function judge(url: string, criterion: Criterion, paths: string[], maturity: number) {
  const parts = criterion.isOfWholeRepository ? [''] : paths;
  const missing = parts.filter((path) => maturity < thresholdOf(url, criterion, path));
  const met = parts.length - missing.length;
  const where = criterion.isOfWholeRepository || paths.length === 1 ? '' : ` (${missing.join(', ')})`;
  const rationale = missing.length === 0 ? criterion.whenMet : `${criterion.whenNot}${where}`;
  return { numerator: met, denominator: parts.length, rationale: `${rationale}.` };
}

/** The maturity from which a part of a repository meets the criterion. */
function thresholdOf(url: string, { id, difficulty }: Criterion, path: string): number {
  return difficulty + new Random('threshold', url, id, path).between(-0.18, 0.18);
}
