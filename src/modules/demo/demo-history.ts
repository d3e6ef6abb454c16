import { HOUR_MS } from '../../common/time/durations.js';
import type { UtcDay } from '../../common/time/utc-day.js';
import type { Autonomy, ClientType } from '../ingest/event-codes.js';
import { busynessOf, isOnHoliday, isWeekend } from './demo-calendar.js';
import type { Person } from './demo-people.js';
import { Ids, Random, type Weights } from './demo-random.js';
import { type DemoEvent, SessionLog } from './demo-session-log.js';
import {
  autonomyFor,
  AUTOMATION_MODELS,
  EDITING_TOOLS,
  FILES,
  FORMAT_HOOK,
  MCP_TOOLS,
  MODELS,
  SKILLS,
  SLASH_COMMANDS,
  STOP_HOOK,
  TOOLS,
} from './demo-vocabulary.js';

const YEAR_DAYS = 365;
/** Time until somebody uses agents to the full. */
const RAMP_DAYS = 45;

export interface Employee {
  readonly person: Person;
  readonly userId: string;
  readonly joinedOn: UtcDay;
}

interface SessionPlan {
  readonly client: ClientType;
  readonly model: string;
  readonly autonomy: Autonomy;
  readonly turns: number;
  /** Average tool requests per turn. */
  readonly steps: number;
}

/** Deterministic: the same organization, person and day always give the same events. */
export class DemoHistory {
  constructor(
    private readonly orgId: string,
    /** Trends begin here. */
    private readonly start: UtcDay,
  ) {}

  /** In the order of time within each session. */
  eventsOf(employee: Employee, day: UtcDay): DemoEvent[] {
    const { person, joinedOn } = employee;
    if (day.isBefore(joinedOn)) return [];
    const names = [this.orgId, person.email, day.toString()];
    const random = new Random('day', ...names);
    const ids = { events: new Ids('events', ...names), sessions: new Ids('sessions', ...names) };
    const events: DemoEvent[] = [];
    const begin = (client: ClientType, hour: number) =>
      new SessionLog(events, random, {
        eventIds: ids.events,
        sessionId: ids.sessions.next(),
        userId: employee.userId,
        client,
        startMs: day.startsAt().getTime() + hour * HOUR_MS,
        day,
      });
    if (random.chance(person.presence * busynessOf(day)) && !isOnHoliday(person.email, day))
      this.work(employee, day, random, begin);
    if (person.automates && random.chance(isWeekend(day) ? 0.2 : 0.9)) this.automate(employee, day, random, begin);
    return events;
  }

  private work({ person, joinedOn }: Employee, day: UtcDay, random: Random, begin: Begin): void {
    const experience = Math.min(1, (joinedOn.daysUntil(day) + 10) / RAMP_DAYS);
    const progress = this.progressOn(day);
    const diligence = person.diligence * (0.45 + 0.55 * experience) * (0.85 + 0.35 * progress);
    const sessions = 1 + random.count(1.15 * diligence);
    const trust = Math.min(1, person.trust * (0.55 + 0.25 * experience + 0.35 * progress));
    for (let i = 0; i < sessions; i++) {
      const client = random.weighted(person.clients);
      const autonomy = random.weighted(autonomyFor(trust));
      const plan: SessionPlan = {
        client,
        model: random.weighted(modelsFor(person, day, progress)),
        autonomy,
        turns: 1 + random.count(client === 'web' ? 1.6 : 2.4),
        steps: autonomy === 'high' ? 5 : autonomy === 'medium' ? 3.2 : 2,
      };
      playSession(person, plan, random, begin(client, person.startHour + (i + random.next()) * (8 / sessions)));
    }
  }

  /** Scheduled runs at night, the first one at midnight: so there is a today at any time. */
  private automate({ person }: Employee, day: UtcDay, random: Random, begin: Begin): void {
    const runs = 1 + random.count(0.8 + 1.4 * this.progressOn(day));
    for (let i = 0; i < runs; i++) {
      const model = random.weighted(AUTOMATION_MODELS);
      const plan: SessionPlan = { client: 'non-interactive-cli', model, autonomy: 'high', turns: 1, steps: 5 };
      playSession(person, plan, random, begin(plan.client, i === 0 ? 0 : random.between(1, 5)));
    }
  }

  /** Share of the year that has passed. */
  private progressOn(day: UtcDay): number {
    return Math.min(1, Math.max(0, this.start.daysUntil(day) / YEAR_DAYS));
  }
}

function modelsFor(person: Person, day: UtcDay, progress: number): Weights<string> {
  return MODELS.filter(({ since }) => since <= day.toString()).map((model) => {
    const [start, end] = model.shares;
    const share = start + (end - start) * progress;
    return [model.id, model === person.favouriteModel ? 3 * share : share];
  });
}

type Begin = (client: ClientType, hour: number) => SessionLog;

function playSession(person: Person, plan: SessionPlan, random: Random, log: SessionLog): void {
  const isWatched = plan.client !== 'non-interactive-cli';
  log.add('session_started');
  if (isWatched && random.chance(0.22)) log.add('slash_command', { name: random.weighted(SLASH_COMMANDS) });
  for (let turn = 0; turn < plan.turns; turn++) {
    // After the specification, the agent works by itself.
    const autonomyLevel = plan.autonomy === 'spec' && turn > 0 ? 'medium' : plan.autonomy;
    log.think(isWatched && turn > 0 ? 180 : 2);
    log.add('user_message');
    if (person.usesSkills && random.chance(0.12)) log.add('skill_used', { name: random.weighted(SKILLS) });
    for (let step = 1 + random.count(plan.steps); step > 0; step--) {
      log.callModel(plan.model);
      for (let tools = random.chance(0.3) ? 2 : 1; tools > 0; tools--) useTool(person, autonomyLevel, random, log);
    }
    log.callModel(plan.model);
    log.add('assistant_message');
    if (person.usesHooks) log.add('hook_run', STOP_HOOK);
  }
  finishWork(plan, random, log);
}

function useTool(person: Person, autonomyLevel: Autonomy, random: Random, log: SessionLog): void {
  log.think(6);
  if (person.mcpServers.length > 0 && random.chance(0.06)) {
    const mcpServer = random.pick(person.mcpServers);
    const tool = random.pick(MCP_TOOLS[mcpServer.toLowerCase()] ?? ['search']);
    log.add('tool_call', { tool: `mcp__${mcpServer.toLowerCase()}__${tool}`, mcpServer, autonomyLevel });
    return;
  }
  const tool = random.weighted(TOOLS);
  log.add('tool_call', { tool, autonomyLevel });
  const isNew = tool === 'Create';
  if (!isNew && !EDITING_TOOLS.has(tool)) return;
  log.add(isNew ? 'file_created' : 'file_edited', random.weighted(FILES[person.team]));
  if (person.usesHooks && random.chance(0.8)) log.add('hook_run', FORMAT_HOOK);
}

function finishWork(plan: SessionPlan, random: Random, log: SessionLog): void {
  if (!random.chance(plan.autonomy === 'high' ? 0.6 : 0.45)) return;
  for (let commit = random.integer(1, 2); commit > 0; commit--) log.add('git_commit');
  if (random.chance(0.4)) log.add('pull_request_created');
}
