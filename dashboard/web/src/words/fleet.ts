import { catalog, language } from './language.ts';

/** Who is up, on the overview. */
export const fleet = catalog({
  en: {
    title: 'Fleet',
    counts: (gateways: number, workers: number) =>
      `${gateways} ${gateways === 1 ? 'gateway' : 'gateways'}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`,
    noWorker: 'No worker is up: requests wait until one is.',
    services: { gateway: 'Gateway', worker: 'Worker', 'stats-service': 'Statistics' },
    states: { failing: 'Failing', draining: 'Draining', up: 'Up' },
    slots: (used: string, of: string) => `${used} of ${of} slots`,
    inFlight: (count: string) => `${count} in flight`,
    progress: (span: string) => `progress ${span} ago`,
    model: (name: string) => `model ${name}`,
    modelFailed: (name: string) => `model ${name}: last call failed`,
    eventLoop: (span: string) => `event loop p99 ${span}`,
    up: (span: string) => `up ${span}`,
    totals: "All instances, since each one's start",
    streams: 'Streams',
    facts: {
      calls: 'Model calls',
      failed: 'of them failed',
      again: 'made again',
      mean: 'mean',
      masked: 'Values masked',
      maskingMean: 'Masking, mean',
      maskingFailures: 'Masking failures',
      stalled: 'Jobs stalled',
      open: 'Open now',
      begun: 'Begun',
      firstByte: 'First byte, mean',
      lag: 'From Redis, mean',
      broken: 'Broken off',
      gaps: 'Gaps filled',
      resumed: 'Resumed',
      left: 'Callers who left',
      cut: 'Slow readers cut',
    },
  },
  id: {
    title: 'Armada',
    counts: (gateways, workers) => `${gateways} gateway, ${workers} worker`,
    noWorker: 'Tidak ada worker yang hidup: permintaan menunggu sampai ada.',
    services: { gateway: 'Gateway', worker: 'Worker', 'stats-service': 'Statistik' },
    states: { failing: 'Bermasalah', draining: 'Dikosongkan', up: 'Hidup' },
    slots: (used, of) => `${used} dari ${of} slot`,
    inFlight: (count) => `${count} sedang jalan`,
    progress: (span) => `maju ${span} lalu`,
    model: (name) => `model ${name}`,
    modelFailed: (name) => `model ${name}: panggilan terakhir gagal`,
    eventLoop: (span) => `event loop p99 ${span}`,
    up: (span) => `hidup ${span}`,
    totals: 'Semua proses, sejak masing-masing mulai',
    streams: 'Aliran',
    facts: {
      calls: 'Panggilan model',
      failed: 'di antaranya gagal',
      again: 'diulang',
      mean: 'rata-rata',
      masked: 'Nilai disamarkan',
      maskingMean: 'Penyamaran, rata-rata',
      maskingFailures: 'Penyamaran gagal',
      stalled: 'Tugas macet',
      open: 'Terbuka kini',
      begun: 'Dimulai',
      firstByte: 'Bita pertama, rata-rata',
      lag: 'Dari Redis, rata-rata',
      broken: 'Terputus',
      gaps: 'Celah diisi',
      resumed: 'Dilanjutkan',
      left: 'Pemanggil pergi',
      cut: 'Pembaca lambat diputus',
    },
  },
});

const FAILING = /^no progress for (\d+) s while (\d+) jobs wait$/;

/** Why a worker counts as failing, in the language of the page as far as its words are known. */
export function sayFailing(reason: string): string {
  const [, seconds, jobs] = language.value === 'en' ? [] : (FAILING.exec(reason) ?? []);
  return seconds === undefined ? reason : `tidak maju selama ${seconds} detik sementara ${jobs} tugas menunggu`;
}
