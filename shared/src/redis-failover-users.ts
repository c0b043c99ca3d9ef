import { createHash } from 'node:crypto';

/**
 * The users that several Redis and their Sentinels need among themselves, besides those of `redis-users.ts`: `replica` is a
 * replica at its primary, `sentinel` a Sentinel at any Redis, and at the other Sentinels.
 */
export interface FailoverPasswords {
  readonly replica: string;
  readonly sentinel: string;
  /** Of `client`, as whom services ask the Sentinels. */
  readonly client: string;
}

const REPLICA = 'resetkeys resetchannels -@all +psync +replconf +ping';
/** As Redis's own documents list it. */
const SENTINEL =
  'resetkeys allchannels -@all +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish +info +client|setname +client|kill +script|kill';
/** Who the primary is, and news of it. Whoever may do more may make any server the primary, and read what is sent to it. */
const CLIENT =
  'resetkeys resetchannels &+switch-master -@all +ping +subscribe +sentinel|get-master-addr-by-name +sentinel|master +client|setname';

/**
 * What each Redis has in its configuration besides its users: how it signs in at its primary, and that it refuses writes once
 * it is cut off from all replicas.
 */
export function failoverLines({ replica, sentinel }: FailoverPasswords): string[] {
  return [
    `user replica on #${sha256(replica)} ${REPLICA}`,
    `user sentinel on #${sha256(sentinel)} ${SENTINEL}`,
    'masteruser replica',
    `masterauth ${replica}`,
    'min-replicas-to-write 1',
    'min-replicas-max-lag 2',
    'repl-diskless-sync-delay 0',
  ];
}

/** The users of each Sentinel. */
export function sentinelUserLines({ sentinel, client }: FailoverPasswords): string[] {
  return [
    'user default off resetpass resetkeys resetchannels -@all',
    `user sentinel on #${sha256(sentinel)} ~* &* +@all`,
    `user client on #${sha256(client)} ${CLIENT}`,
  ];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
