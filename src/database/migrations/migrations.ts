import { Baseline1768348800000 } from './1768348800000-baseline.js';
import { EnterpriseControlsAndAuditLog1768435200000 } from './1768435200000-enterprise-controls-and-audit-log.js';
import { ComputersSessionsMessages1768521600000 } from './1768521600000-computers-sessions-messages.js';
import { UsageEventsAndDayDocuments1768608000000 } from './1768608000000-usage-events-and-day-documents.js';
import { ReadinessReports1768694400000 } from './1768694400000-readiness-reports.js';
import { AnalyticsChanges1768780800000 } from './1768780800000-analytics-changes.js';
import { AgentConnections1768867200000 } from './1768867200000-agent-connections.js';
import { StatisticsOfSessions1768953600000 } from './1768953600000-statistics-of-sessions.js';
import { ApiKeyScopes1769070000000 } from './1769070000000-api-key-scopes.js';
import { Erasures1769070001000 } from './1769070001000-erasures.js';
import { ComputerAccess1769080000000 } from './1769080000000-computer-access.js';
import { ComputerTokens1769080001000 } from './1769080001000-computer-tokens.js';
import { TurnsOfMessages1769080002000 } from './1769080002000-turns-of-messages.js';
import { BoundedNamesAndLateDays1769090000000 } from './1769090000000-bounded-names-and-late-days.js';
import { DemoOrganizations1769100000000 } from './1769100000000-demo-organizations.js';
import { Facts1769200000000 } from './1769200000000-facts.js';
import { Teams1769200001000 } from './1769200001000-teams.js';
import { Prices1769200002000 } from './1769200002000-prices.js';
import { MembersAndTeamClaims1769210000000 } from './1769210000000-members-and-team-claims.js';
import { IntakeAndClaims1769215000000 } from './1769215000000-intake-and-claims.js';
import { ConsoleSessions1769300000000 } from './1769300000000-console-sessions.js';
import { PresenceAndOrganizationSettings1769310000000 } from './1769310000000-presence-and-organization-settings.js';
import { DemoFills1769320000000 } from './1769320000000-demo-fills.js';
import { StatisticsOfFacts1769500000000 } from './1769500000000-statistics-of-facts.js';

/** Every migration, oldest first. Listed by hand: what runs is what is written here. */
export const MIGRATIONS = [
  Baseline1768348800000,
  EnterpriseControlsAndAuditLog1768435200000,
  ComputersSessionsMessages1768521600000,
  UsageEventsAndDayDocuments1768608000000,
  ReadinessReports1768694400000,
  AnalyticsChanges1768780800000,
  AgentConnections1768867200000,
  StatisticsOfSessions1768953600000,
  ApiKeyScopes1769070000000,
  Erasures1769070001000,
  ComputerAccess1769080000000,
  ComputerTokens1769080001000,
  TurnsOfMessages1769080002000,
  BoundedNamesAndLateDays1769090000000,
  DemoOrganizations1769100000000,
  Facts1769200000000,
  Teams1769200001000,
  Prices1769200002000,
  MembersAndTeamClaims1769210000000,
  IntakeAndClaims1769215000000,
  ConsoleSessions1769300000000,
  PresenceAndOrganizationSettings1769310000000,
  DemoFills1769320000000,
  StatisticsOfFacts1769500000000,
];
