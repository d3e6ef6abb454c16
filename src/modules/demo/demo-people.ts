import { Role } from '../../common/access/role.enum.js';
import type { ClientType } from '../ingest/event-codes.js';
import { Random, type Weights } from './demo-random.js';
import { MODELS, type Model, type Team } from './demo-vocabulary.js';

interface Move {
  readonly from: Team;
  readonly after: number;
}

export interface Person {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: Role;
  readonly team: Team;
  /** For those who changed teams: the first one, and the share of their time before that. */
  readonly moved: Move | null;
  /** Share of the company's time before they joined. */
  readonly joinedAfter: number;
  /** Share of working days on which agents work for them. */
  readonly presence: number;
  /** Work on such a day, relative to others. */
  readonly diligence: number;
  /** In hours UTC. */
  readonly startHour: number;
  readonly clients: Weights<ClientType>;
  /** Whether scheduled runs are in their name. */
  readonly automates: boolean;
  readonly favouriteModel: Model;
  /** From 0 (confirms everything) to 1. */
  readonly trust: number;
  readonly mcpServers: readonly string[];
  readonly usesSkills: boolean;
  readonly usesHooks: boolean;
}

/** The first of each team leads it. */
const NAMES: Record<Team, string> = {
  backend: `Maren Holst, Ravi Subramanian, Elena Petrova, Tomás Ferreira, Ingrid Solberg, Kwame Boateng, Julia Nowak,
    Stefan Brandt, Aisha Karim, Peter Lindqvist`,
  web: `Chloé Martin, Daniel Okafor, Yuki Tanabe, Sofia Marchetti, Liam Gallagher, Nadia Haddad, Jonas Weber, Priya Menon,
    Oscar Nilsson, Marta Kowalska`,
  mobile: `Andrei Ionescu, Hana Suzuki, Carlos Mendoza, Freya Andersen, Mateo Rossi, Lena Vogel, Samuel Adeyemi,
    Zuzana Dvořák`,
  data: `Amara Diallo, Viktor Horvat, Mei Lin, Gustav Eriksson, Leila Rahimi, Paul Schneider, Ana Souza, Noah Fischer,
    Irina Volkova`,
  platform: `Henrik Dahl, Fatima Zahra, Ben Carter, Kaito Mori, Olga Smirnova, Rafael Costa, Emma Lund, Arjun Patel`,
};

const MOVES: Readonly<Record<string, Move>> = {
  'Elena Petrova': { from: 'platform', after: 0.42 },
  'Yuki Tanabe': { from: 'mobile', after: 0.7 },
};

const SERVERS: Record<Team, readonly string[]> = {
  backend: ['github', 'linear', 'sentry', 'postgres'],
  web: ['github', 'figma', 'playwright', 'linear'],
  mobile: ['github', 'figma', 'sentry', 'Linear'], // spelled as in their shared settings
  data: ['postgres', 'notion', 'github'],
  platform: ['github', 'sentry', 'context7', 'notion'],
};

/** Members of each team with scheduled runs. */
const AUTOMATED: Record<Team, number> = { backend: 1, web: 0, mobile: 1, data: 2, platform: 3 };

/** In hours UTC: most are in Europe, some in America. */
const STARTS: Weights<number> = [
  [7, 6],
  [8, 5],
  [13, 2],
  [14, 1],
];

const CLIENTS: Weights<Weights<ClientType>> = [
  [[['terminal-ui', 1]], 45],
  [
    [
      ['terminal-ui', 0.8],
      ['web', 0.2],
    ],
    25,
  ],
  [
    [
      ['web', 0.85],
      ['terminal-ui', 0.15],
    ],
    30,
  ],
];

export const PEOPLE: readonly Person[] = (Object.keys(NAMES) as Team[]).flatMap((team) =>
  NAMES[team].split(/,\s*/).map((name, i, names) => toPerson(name, team, i, names.length)),
);

function toPerson(name: string, team: Team, place: number, size: number): Person {
  const [firstName = '', lastName = ''] = name.split(' ');
  const random = new Random('person', name);
  return {
    email: `${plain(firstName)}.${plain(lastName)}@demo.example`,
    firstName,
    lastName,
    role: place === 0 ? Role.Manager : Role.Member,
    team,
    moved: MOVES[name] ?? null,
    joinedAfter: place < 3 ? 0 : (0.88 * (place - 3 + random.next())) / (size - 3),
    presence: random.between(0.45, 0.98),
    diligence: random.around(1, 0.35),
    startHour: random.weighted(STARTS) + random.between(-0.5, 1),
    clients: random.weighted(CLIENTS),
    automates: place > 0 && place <= AUTOMATED[team],
    favouriteModel: random.pick(MODELS),
    trust: random.between(0.1, 0.9),
    mcpServers: SERVERS[team].filter(() => random.chance(0.5)),
    usesSkills: random.chance(0.6),
    usesHooks: random.chance(0.45),
  };
}

/** For email addresses: lower case, without accents. */
function plain(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
