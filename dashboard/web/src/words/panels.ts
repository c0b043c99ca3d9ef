import type { BlockedAddress } from '@lontar/shared/dashboard-contract.ts';
import { catalog } from './language.ts';

/** The small panels of the overview: blocked addresses, and the question before a counter is reset. */
export const panels = catalog({
  en: {
    blocked: 'Blocked addresses',
    unread: 'The list could not be read.',
    none: 'No address is blocked now.',
    columns: { address: 'Address', why: 'Why', until: 'Until', lift: 'Lift' },
    reasons: {
      'over the hourly limit': 'over the hourly limit',
      'too many bad keys': 'too many bad keys',
      'blocked by the operator': 'blocked by the operator',
    } satisfies Record<BlockedAddress['reason'], string>,
    untilLifted: 'until lifted',
    another: (span: string) => `for another ${span}`,
    byItself: 'ends by itself',
    liftOf: (address: string) => `Lift the block of ${address}`,
    lifted: (address: string) => `${address} is no longer blocked`,
    cannotLift: 'This address has no block that can be lifted.',
    commands: (block: string, unblock: string) => `${block} and ${unblock} change it as well.`,
    resetTitle: 'Reset total requests?',
    resetWhy: '“Total requests” starts at 0 again. No other number changes, and nothing is deleted.',
    resetFailed: 'It could not be reset.',
    reset: 'Reset',
    keep: 'Keep',
  },
  id: {
    blocked: 'Alamat yang diblokir',
    unread: 'Daftar tidak dapat dibaca.',
    none: 'Tidak ada alamat yang diblokir saat ini.',
    columns: { address: 'Alamat', why: 'Sebab', until: 'Sampai', lift: 'Buka' },
    reasons: {
      'over the hourly limit': 'melewati batas per jam',
      'too many bad keys': 'terlalu banyak kunci salah',
      'blocked by the operator': 'diblokir operator',
    },
    untilLifted: 'sampai dibuka',
    another: (span) => `${span} lagi`,
    byItself: 'berakhir sendiri',
    liftOf: (address) => `Buka blokir ${address}`,
    lifted: (address) => `${address} tidak lagi diblokir`,
    cannotLift: 'Alamat ini tidak punya blokir yang dapat dibuka.',
    commands: (block, unblock) => `${block} dan ${unblock} juga mengubahnya.`,
    resetTitle: 'Atur ulang jumlah permintaan?',
    resetWhy: '“Jumlah permintaan” mulai lagi dari 0. Angka lain tidak berubah, dan tidak ada yang dihapus.',
    resetFailed: 'Tidak dapat diatur ulang.',
    reset: 'Atur ulang',
    keep: 'Biarkan',
  },
});
