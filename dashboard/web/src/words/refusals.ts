import type { AdminReason } from '@lontar/shared/admin/admin-errors.ts';
import type { Refused } from '../admin-api/answer.ts';
import { language } from './language.ts';
import { sayRule } from './rules.ts';
import { shell } from './shell.ts';

type Sentence = string | ((refused: Refused) => string);

const wait = ({ retryAfter }: Refused) => (retryAfter === undefined ? '' : ` Tunggu ${retryAfter} detik.`);

/** Indonesian; the server's own sentences are English. */
const REASONS: Readonly<Record<AdminReason, Sentence>> = {
  invalid: ({ message }) => `Isian tidak sah: ${sayRule(message)}.`,
  unauthorized: 'Masuk dahulu ke dasbor.',
  api_key: 'Ini kunci API, bukan token admin.',
  token_expired: 'Token admin ini sudah kedaluwarsa.',
  token_revoked: 'Token admin ini sudah dicabut.',
  forbidden: 'Peran ini tidak boleh melakukannya.',
  banned: (refused) => `Terlalu banyak token salah dari alamat ini.${wait(refused)}`,
  cross_site: 'Permintaan dari situs lain ditolak.',
  not_found: 'Yang diminta tidak ada.',
  conflict: 'Keadaannya sekarang tidak mengizinkan ini.',
  key_contended: 'Orang lain sedang mengubah kunci ini. Tidak ada yang diubah. Coba lagi.',
  key_made_before: 'Permintaan ini sudah membuat kunci, yang sejak itu diputar atau dihapus.',
  key_made_long_ago: 'Permintaan ini sudah membuat kunci lebih dari 24 jam lalu. Kuncinya tidak ditampilkan lagi.',
  key_revoked: 'Kunci ini sudah dicabut.',
  overlap_runs:
    'Kunci ini sudah diputar sebelumnya, dan rahasia sebelum itu masih berlaku; memutar lagi akan mengakhirinya seketika. Tidak ada yang diubah.',
  changed: 'Sudah diubah sejak dibaca. Tidak ada yang diubah.',
  reused: 'Permintaan ini sudah membuat kunci dengan isian lain. Coba lagi.',
  no_precondition: 'Versi yang hendak diubah tidak disebut.',
  limited: (refused) => `Terlalu banyak permintaan dalam semenit ini.${wait(refused)}`,
  unreadable: 'Catatannya di Redis tidak dapat dibaca.',
};

/** Of what stands before the admin API, by status. */
const STATUSES: Readonly<Record<number, Sentence>> = {
  404: REASONS.not_found,
  429: REASONS.limited,
  500: 'Ada yang salah di pihak kami. Coba lagi nanti.',
  502: 'Layanan statistik tidak terjangkau. Coba lagi beberapa detik lagi.',
  503: 'Layanan tidak dapat menjawab sekarang. Coba lagi beberapa detik lagi.',
  504: 'Tidak ada jawaban pada waktunya. Coba lagi.',
};

/** What of a refusal fits on a line of its own. */
export function titleOf({ kind }: Refused): string {
  const { failed } = shell();
  return kind === 'invalid' || kind === 'conflict' || kind === 'changed' ? failed.refused : failed[kind];
}

/** Why the server refused, in the language of the page; in the server's words where this page does not know the reason. */
export function sayRefusal(refused: Refused): string {
  if (language.value === 'en') return refused.message;
  const known = REASONS as Readonly<Record<string, Sentence | undefined>>;
  const sentence = refused.reason === undefined ? STATUSES[refused.status] : known[refused.reason];
  return typeof sentence === 'function' ? sentence(refused) : (sentence ?? refused.message);
}
