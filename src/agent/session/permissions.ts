import type { ToolKind } from '@agentclientprotocol/sdk';
import type { AgentControls, TurnSettings } from '../../protocol/relay-protocol.js';
import { isRecord } from '../shared/bounds.js';
import { deniedBy, isAllowed, isOpaque } from './command-rules.js';
import type { SessionPlace } from './session-place.js';
import { kindName, type ToolCall } from './tool-calls.js';

export interface Decision {
  readonly allow: boolean;
  /** Names the rule, for the log and the agent. */
  readonly reason: string;
}

export interface PermissionQuestion {
  readonly settings: TurnSettings;
  readonly controls: AgentControls;
  readonly call: Pick<ToolCall, 'name' | 'kind' | 'command' | 'mcpServer' | 'paths'>;
  readonly place: SessionPlace;
}

const LEVELS = ['off', 'low', 'medium', 'high'] as const;
type Level = (typeof LEVELS)[number];

const MCP_LEVEL: Level = 'medium';
const SPEC_KINDS: readonly ToolKind[] = ['read', 'search', 'think'];
/** Below `high` these are confined to the session's directory. */
const CONFINED_KINDS: readonly ToolKind[] = ['read', 'search', 'edit', 'move', 'delete', 'fetch', 'other'];
/** These have to name the files they change. */
const CHANGING_KINDS: readonly ToolKind[] = ['edit', 'move', 'delete'];

/** The lowest level at which a kind of tool may be used without an allowlist. */
const LEVEL_OF_KIND: Record<ToolKind, Level> = {
  read: 'off',
  search: 'off',
  think: 'off',
  edit: 'low',
  move: 'medium',
  fetch: 'medium',
  other: 'medium',
  execute: 'high',
  delete: 'high',
  switch_mode: 'high',
};

/** What no rule allows is denied. */
export function decide({ settings, controls, call, place }: PermissionQuestion): Decision {
  return (
    deniedByOwnFiles(place, call) ??
    deniedByCommandList(controls.commandDenylist ?? [], call) ??
    deniedByToolLists(settings, call) ??
    deniedBySpecMode(settings, call) ??
    deniedByPlace(settings, place, call) ??
    (call.mcpServer === null ? byKind(settings, controls, call) : byMcpLevel(settings, controls, call))
  );
}

type Call = PermissionQuestion['call'];

/** At every level: the settings can run commands, and the token authenticates as this computer. */
function deniedByOwnFiles(place: SessionPlace, { paths, command }: Call): Decision | null {
  const isTouched = paths.some((path) => place.isOwn(path)) || (command !== null && place.namesOwn(command));
  return isTouched ? deny("The agent client's own files are out of bounds.") : null;
}

/** MCP tools work where their server does; commands are subject to the lists. */
function deniedByPlace(settings: TurnSettings, place: SessionPlace, call: Call): Decision | null {
  const level = levelOf(settings);
  if (level === 'high' || call.mcpServer !== null || isCommand(call)) return null;
  const outside = call.paths.find((path) => !place.isInside(path));
  if (CONFINED_KINDS.includes(call.kind) && outside !== undefined) {
    return deny(`At the autonomy level ${level} tools stay inside the session's directory; "${outside}" is not in it.`);
  }
  if (!CHANGING_KINDS.includes(call.kind) || call.paths.length > 0) return null;
  return deny(
    `The agent does not tell which file it would ${call.kind}; the autonomy level ${level} allows none it cannot see.`,
  );
}

function deniedByCommandList(denylist: readonly string[], call: Call): Decision | null {
  if (call.command === null) {
    const isBlind = isCommand(call) && denylist.some((entry) => entry.trim() !== '');
    return isBlind ? deny("The agent does not tell the command, and the organization's denylist has entries.") : null;
  }
  const entry = deniedBy(call.command, denylist);
  if (entry !== null) return deny(`The command is on the organization's denylist ("${entry}").`);
  const hasEntries = denylist.some((one) => one.trim() !== '');
  if (!hasEntries || !isOpaque(call.command)) return null;
  return deny("The organization's denylist has entries, and this command does not say plainly what it runs.");
}

function deniedByToolLists({ enabledToolIds, disabledToolIds = [] }: TurnSettings, call: Call): Decision | null {
  const disabled = disabledToolIds.find((id) => isSame(id, call.name) || isSame(id, kindName(call.kind)));
  if (disabled !== undefined) return deny(`The session's disabledToolIds has "${disabled}".`);
  if (enabledToolIds === undefined || enabledToolIds.some((id) => isSame(id, call.name))) return null;
  return deny(`The session's enabledToolIds does not have "${call.name}".`);
}

function deniedBySpecMode({ interactionMode }: TurnSettings, { kind }: Call): Decision | null {
  if (interactionMode !== 'spec' || SPEC_KINDS.includes(kind)) return null;
  return deny(`In the interaction mode spec only tools that read, search or think may be used, not ${kind}.`);
}

function byKind(settings: TurnSettings, controls: AgentControls, call: Call): Decision {
  const kind = isCommand(call) ? 'execute' : call.kind;
  const level = levelOf(settings);
  if (reaches(level, LEVEL_OF_KIND[kind])) return allow(`The autonomy level ${level} allows ${kind}.`);
  if (kind !== 'execute') return deny(`The autonomy level ${level} does not allow ${kind}.`);
  if (call.command !== null && isAllowed(call.command, controls.commandAllowlist ?? [])) {
    return allow("The command is on the organization's allowlist.");
  }
  return deny(`At the autonomy level ${level} only commands on the organization's allowlist may run.`);
}

function byMcpLevel(settings: TurnSettings, controls: AgentControls, call: Call): Decision {
  const level = levelOf(settings);
  const needed = mcpLevelOf(controls.mcpAutonomyOverrides ?? {}, call);
  const tool = `${call.name} of the MCP server ${call.mcpServer ?? ''}`;
  if (reaches(level, needed)) return allow(`The autonomy level ${level} allows ${tool}, which needs ${needed}.`);
  return deny(`The autonomy level ${level} does not allow ${tool}, which needs ${needed}.`);
}

/** The level that the organization requires; an override that is not understood counts as the strictest. */
function mcpLevelOf(overrides: Record<string, unknown>, { name, mcpServer }: Call): Level {
  const prefixOf = (server: string) => `mcp__${server}__`.toLowerCase();
  const isMeant = (server: string) =>
    name.toLowerCase().startsWith(prefixOf(server)) || isSame(server, mcpServer ?? '');
  // The longest, as a server's name may begin with another server's name and two underscores.
  const [server] = Object.keys(overrides)
    .filter(isMeant)
    .sort((a, b) => b.length - a.length);
  if (server === undefined) return MCP_LEVEL;
  const override = overrides[server];
  if (!isRecord(override)) return 'high';
  const tools = override.tools ?? {};
  if (!isRecord(tools)) return 'high';
  const tool = name.toLowerCase().startsWith(prefixOf(server)) ? name.slice(prefixOf(server).length) : name;
  const level = own(tools, tool) ?? own(tools, name) ?? own(override, 'defaultLevel') ?? MCP_LEVEL;
  return LEVELS.find((known) => known === level) ?? 'high';
}

/** A tool of unknown kind with a command counts as a command. */
function isCommand({ kind, command, mcpServer }: Call): boolean {
  return kind === 'execute' || (kind === 'other' && command !== null && mcpServer === null);
}

function levelOf({ autonomyLevel }: TurnSettings): Level {
  return autonomyLevel ?? 'off';
}

function reaches(level: Level, needed: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(needed);
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function own(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function allow(reason: string): Decision {
  return { allow: true, reason };
}

function deny(reason: string): Decision {
  return { allow: false, reason };
}
