// The parts of an address that limits count by: what one customer has, and the network around it.

/** The part of an address that belongs to one customer: an IPv4 address, or an IPv6 network of 64 bits. */
export function addressKey(address: string): string {
  return ipv4Of(address) ?? `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}

/**
 * The network in which somebody with many addresses has them: 24 bits of IPv4; 48 bits of IPv6, which is what a site is
 * assigned.
 */
export function networkKey(address: string): string {
  const ipv4 = ipv4Of(address);
  return ipv4 === null
    ? `${groupsOf(address).slice(0, 3).join(':')}::/48`
    : `${ipv4.slice(0, ipv4.lastIndexOf('.'))}.0/24`;
}

/** Also of the mapped form that dual-stack sockets report, `::ffff:192.0.2.1`. */
function ipv4Of(address: string): string | null {
  if (!address.includes(':')) return address;
  return address.includes('.') ? address.slice(address.lastIndexOf(':') + 1) : null;
}

function groupsOf(address: string): readonly string[] {
  const [head = '', tail = ''] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  return address.includes('::') ? [...groups, ...zeros, ...rest] : groups;
}
