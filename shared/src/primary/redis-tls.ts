import { readFileSync } from 'node:fs';
import { ConfigError } from '../config/read-config.ts';

/** The files that TLS to Redis goes by, as settings name them. */
export interface RedisTlsFiles {
  readonly REDIS_CA_FILE?: string | undefined;
  readonly REDIS_CERT_FILE?: string | undefined;
  readonly REDIS_KEY_FILE?: string | undefined;
}

const FILES = ['REDIS_CA_FILE', 'REDIS_CERT_FILE', 'REDIS_KEY_FILE'] as const;

export interface RedisTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/**
 * What TLS to Redis is made with. The server's certificate is always verified: against the authority of `REDIS_CA_FILE`, or
 * those that Node knows.
 *
 * @param isTls whether the address asks for TLS
 * @returns nothing where it does not
 * @throws ConfigError where a file cannot be read, is of no use, or misses another one
 */
export function readRedisTls(files: RedisTlsFiles, isTls: boolean): RedisTls | undefined {
  const given = FILES.filter((name) => files[name]);
  const { REDIS_CA_FILE, REDIS_CERT_FILE, REDIS_KEY_FILE } = files;
  if (!isTls) {
    if (given.length === 0) return undefined;
    throw new ConfigError([
      `${given.join(' and ')} would have no effect: REDIS_URL asks for no TLS. Begin it with rediss:// (or rediss+sentinel://, rediss+cluster://).`,
    ]);
  }
  if (Boolean(REDIS_CERT_FILE) !== Boolean(REDIS_KEY_FILE)) {
    throw new ConfigError([
      'REDIS_CERT_FILE and REDIS_KEY_FILE belong together: set both, or none where Redis asks for no client certificate.',
    ]);
  }
  return {
    ...(REDIS_CA_FILE && { ca: read('REDIS_CA_FILE', REDIS_CA_FILE) }),
    ...(REDIS_CERT_FILE && { cert: read('REDIS_CERT_FILE', REDIS_CERT_FILE) }),
    ...(REDIS_KEY_FILE && { key: read('REDIS_KEY_FILE', REDIS_KEY_FILE) }),
  };
}

function read(name: string, file: string): Buffer {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch {
    throw new ConfigError([`${name} names a file that cannot be read: ${file}`]);
  }
  // Node would take it, and refuse every server.
  if (!content.includes('-----BEGIN ')) throw new ConfigError([`${name} names a file that is not PEM: ${file}`]);
  return content;
}
