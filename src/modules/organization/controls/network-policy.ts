import { BlockList, isIP } from 'node:net';

export function isIpRange(entry: string): boolean {
  return parseRange(entry) !== null;
}

/** An IPv4-mapped IPv6 address counts as IPv4. */
export function isAddressWithin(address: string, ranges: readonly string[]): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parseRange(range);
    if (parsed) list.addSubnet(parsed.network, parsed.prefix, parsed.family);
  }
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

function parseRange(entry: string): { network: string; prefix: number; family: 'ipv4' | 'ipv6' } | null {
  const [network = '', prefixText, ...rest] = entry.split('/');
  const version = isIP(network);
  if (version === 0 || rest.length > 0 || network.includes('%')) return null;
  const longest = version === 4 ? 32 : 128;
  if (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null;
  const prefix = prefixText === undefined ? longest : Number(prefixText);
  return prefix > longest ? null : { network, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}
