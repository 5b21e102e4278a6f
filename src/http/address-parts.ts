// The parts of an address that limits count by: what one customer holds, and the network around it.

/** The part of an address that one customer holds: an IPv4 address, or an IPv6 network of 64 bits. */
export function addressKey(address: string): string {
  return ipv4Of(address) ?? `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}

/**
 * The network that somebody with many addresses has them in: 24 bits of IPv4, 48 of IPv6, which is what a site is
 * given.
 */
export function networkKey(address: string): string {
  const ipv4 = ipv4Of(address);
  return ipv4 === null
    ? `${groupsOf(address).slice(0, 3).join(':')}::/48`
    : `${ipv4.slice(0, ipv4.lastIndexOf('.'))}.0/24`;
}

/** Also of the form in which a socket for both kinds shows it, `::ffff:192.0.2.1`. */
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
