import { catalog } from './language.ts';

/** The page of requests; what it shares with the overview is in the words of the log. */
export const requests = catalog({
  en: {
    title: 'Requests',
    refresh: 'Refresh',
    none: 'No request yet',
    noneWhy: 'Each request for text is listed here, masked, with its outcome.',
    noneFound: 'No request found',
    noneFoundWhy:
      'The log has the last 10,000 rows. At most half of them are about refused requests. Usage is kept for longer.',
    shown: (rows: string) => `${rows} shown.`,
    tooMany: 'Narrow the search to see older ones.',
  },
  id: {
    title: 'Permintaan',
    refresh: 'Segarkan',
    none: 'Belum ada permintaan',
    noneWhy: 'Tiap permintaan teks muncul di sini, disamarkan, beserta hasilnya.',
    noneFound: 'Tidak ada permintaan seperti itu',
    noneFoundWhy:
      'Log menyimpan 10.000 baris terakhir, paling banyak setengahnya tentang permintaan yang ditolak. Pemakaian disimpan lebih lama.',
    shown: (rows: string) => `${rows} ditampilkan.`,
    tooMany: 'Persempit pencarian untuk melihat yang lebih lama.',
  },
});
