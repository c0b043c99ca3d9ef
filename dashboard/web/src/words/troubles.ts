import type { Trouble, TroubleParts } from '@lontar/shared/dashboard-contract.ts';
import { catalog, language } from './language.ts';

/** What stands on top of all pages while something is wrong. */
export const troubles = catalog({
  en: {
    head: (isDown: boolean, time: string, whom: string) => `${isDown ? 'Down' : 'Trouble'} since ${time}, for ${whom}:`,
    whatToDo: 'What to do:',
  },
  id: {
    head: (isDown, time, whom) => `${isDown ? 'Mati' : 'Gangguan'} sejak ${time}, bagi ${whom}:`,
    whatToDo: 'Yang perlu dilakukan:',
  },
});

type Say = (parts: Required<TroubleParts>, isDown: boolean) => readonly [what: string, whom: string];

const ALL = 'semua pemanggil';
const OTHER_ROUTES = 'tak seorang pun, selama modelnya punya rute lain';
const NO_PARTS: Required<TroubleParts> = { some: 0, all: 0, names: '', cause: '', share: 0, hasRecovered: false };

/** Indonesian; the server's own sentences are English. */
const SENTENCES: Readonly<Record<Trouble['id'], Say>> = {
  no_workers: () => ['Tidak ada worker yang hidup: permintaan menunggu, lalu berakhir dengan 504.', ALL],
  workers_stuck: ({ some, all }, isDown) => [
    `${some} dari ${all} worker tidak maju sementara tugas menunggu.`,
    isDown ? ALL : 'pemanggil yang permintaannya mereka pegang',
  ],
  queue_paused: () => [
    'Antrean dijeda: permintaan menunggu, lalu berakhir dengan 504. "lontar queue resume" melanjutkannya.',
    ALL,
  ],
  model_failing: ({ cause, some, all }, isDown) => [
    `Panggilan model gagal: ${cause}`,
    isDown ? ALL : `pemanggil yang permintaannya diambil ${some} dari ${all} worker`,
  ],
  failing_requests: ({ share, hasRecovered }) => [
    `Sekitar ${share} % permintaan lima menit terakhir gagal di pihak kami.${hasRecovered ? ' Dalam menit terakhir tidak ada yang gagal.' : ''}`,
    'pemanggil yang mendapat 5xx',
  ],
  models_down: ({ names }) => [
    `Tidak ada upstream yang menjawab untuk ${names}: pemanggilnya mendapat 503.`,
    `pemanggil ${names}`,
  ],
  upstreams_open: ({ names }) => [`Upstream gagal, dan hanya mendapat panggilan percobaan: ${names}.`, OTHER_ROUTES],
  upstreams_unauthorized: ({ names }) => [
    `Upstream menolak kredensialnya, atau akunnya tidak boleh dipakai: ${names}.`,
    OTHER_ROUTES,
  ],
  models_file_broken: ({ some, all }) => [
    `Berkas model diubah dan rusak: ${some} dari ${all} proses memakai yang sebelumnya, dan tidak akan bisa mulai lagi. "lontar models check" menunjukkan salahnya.`,
    'pemanggil yang meminta model baru',
  ],
};

/** What is wrong and for whom, in the language of the page; in the server's words where this page does not know the trouble. */
export function sayTrouble({ id, isDown, what, whom, parts }: Trouble): readonly [what: string, whom: string] {
  const say = language.value === 'en' ? undefined : (SENTENCES as Partial<typeof SENTENCES>)[id];
  return say?.({ ...NO_PARTS, ...parts }, isDown) ?? [what, whom];
}
