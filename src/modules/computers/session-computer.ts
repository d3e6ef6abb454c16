import type { ComputerEntity } from './computer.entity.js';

/** The computer of a session, and the connection of its agent: null before the first one. */
export interface SessionComputer extends Pick<ComputerEntity, 'id' | 'name' | 'access' | 'trusted' | 'registeredBy'> {
  agentConnection: string | null;
}
