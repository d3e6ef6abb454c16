/** All notifications between replicas (sender -> listener). They say what to read again, and may be lost. */
export interface Topics {
  /** sessions, turns -> streams of the session, event streams; without the rest it was deleted, or an older release sends */
  session_changed: { orgId: string; sessionId: string; userId?: string; status?: string; computerId?: string };
  /** messages -> the agent of the computer, which may take the turn */
  turn_queued: { orgId: string; computerId: string };
  /** turns, messages -> the agent of the computer, whose turns were interrupted or expired */
  turns_changed: { orgId: string; computerId: string };
  /** computers -> other connections of the computer, which `connectionId` supersedes */
  agent_connected: { orgId: string; computerId: string; connectionId: string };
  /** computers -> event streams of the organization: it was added or changed, or its agent came or went */
  computer_changed: { orgId: string; computerId: string };
  /** computers -> the agent of the computer, which is disconnected, and event streams of the organization */
  computer_deleted: { orgId: string; computerId: string };
  /** computers -> the agent of the computer, which is disconnected */
  computer_handed_over: { orgId: string; computerId: string };
  /** users, API keys, computer tokens, console sessions -> caches, streams and sockets of the user; `credentialId`: only of this credential */
  credentials_changed: { orgId: string; userId: string; credentialId?: string };
  /** API keys -> the cache of refused credentials, event streams */
  credential_added: { orgId: string; userId: string };
  /** controls -> caches, streams and sockets of the organization */
  controls_changed: { orgId: string };
  /** organization prices -> price lists of the organization */
  prices_changed: { orgId: string };
  /** telemetry -> event streams of the users: telemetry of these agents was counted; once a second for all of an organization */
  telemetry_counted: { orgId: string; sources: { userId: string; agent: string }[] };
  /** `cli telemetry tail` -> replicas, which report telemetry for a while */
  telemetry_watched: Record<string, never>;
  /** replicas -> `cli telemetry tail`; `ignored`: of a request with nothing else, by which repetitions are recognised */
  telemetry_seen: { line: string; ignored?: { kind: string; records: number } };
}

export type Topic = keyof Topics;
