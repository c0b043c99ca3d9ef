/** All forms in which a secret may hide, each long enough to be no accident. */
function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    secret,
    encodeURIComponent(secret),
    hex,
    hex.toUpperCase(),
    percent,
    percent.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64Inside(bytes, offset)),
  ];
}

/** Base64 of a secret that stands after `offset` other bytes, without the characters that its neighbours change. */
function base64Inside(bytes: Buffer, offset: number): string[] {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const first = offset === 0 ? 0 : offset + 1;
  const inner = whole.slice(first, (offset + bytes.length) % 3 === 0 ? undefined : -1);
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
}

/**
 * @param places text by where it was found
 * @returns `secret in place` for each that was found; never the secret
 */
export function findCanaries(
  secrets: Readonly<Record<string, string>>,
  places: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const forms = [...new Set(disguises(secret))];
    return Object.entries(places)
      .filter(([, text]) => forms.some((form) => text.includes(form)))
      .map(([place]) => `${name} in ${place}`);
  });
}
