import { hostname, userInfo } from 'node:os';
import type { Log } from './shared/log.js';
import { type Computer, PlatformApi } from './platform-api.js';

/** Registers the computer if there is none of this name. One that another user registered is not this machine. */
export async function findOrRegister(api: PlatformApi, name: string, log: Log): Promise<Computer> {
  const known = await api.findComputer(name);
  if (!known) {
    const registered = await api.registerComputer({ name, hostname: hostname(), remoteUser: userInfo().username });
    log.info(`Registered this machine as the computer "${registered.name}".`);
    return registered;
  }
  const [registrant, { user }] = await Promise.all([api.registrantOf(known.id), api.me()]);
  if (registrant === null || registrant === user.id) return known;
  throw new Error(
    `The computer "${known.name}" was registered by somebody else (user ${registrant}), so this machine cannot be it. ` +
      'Choose another name with --name, or let an owner give that computer to you.',
  );
}
