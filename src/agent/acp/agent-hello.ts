import { z } from 'zod';

const Flag = z.boolean().nullish().catch(undefined);

const PromptCapabilities = z.object({ image: Flag, embeddedContext: Flag }).nullish().catch(undefined);

const Hello = z.object({
  protocolVersion: z.number(),
  agentInfo: z.object({ name: z.string() }).nullish().catch(undefined),
  agentCapabilities: z.object({ loadSession: Flag, promptCapabilities: PromptCapabilities }).nullish().catch(undefined),
  authMethods: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .nullish()
    .catch(undefined),
});

export interface AgentHello {
  readonly protocolVersion: number;
  /** As the agent calls itself. */
  readonly agentName: string | null;
  readonly canLoadSessions: boolean;
  readonly takesImages: boolean;
  readonly takesEmbeddedContext: boolean;
  readonly loginMethods: readonly LoginMethod[];
}

export interface LoginMethod {
  readonly id: string;
  readonly name: string;
}

/** null when `response` is not an answer to `initialize`. */
export function readHello(response: unknown): AgentHello | null {
  const hello = Hello.safeParse(response);
  if (!hello.success) return null;
  const { protocolVersion, agentInfo, agentCapabilities, authMethods } = hello.data;
  return {
    protocolVersion,
    agentName: agentInfo?.name ?? null,
    canLoadSessions: agentCapabilities?.loadSession ?? false,
    takesImages: agentCapabilities?.promptCapabilities?.image ?? false,
    takesEmbeddedContext: agentCapabilities?.promptCapabilities?.embeddedContext ?? false,
    loginMethods: authMethods ?? [],
  };
}
