/** The languages of the page `/me`, each with its path. */
export const OWN_KEY_PATHS = { en: '/me', id: '/me/id' } as const;
export type OwnKeyLanguage = keyof typeof OWN_KEY_PATHS;

/** Every word of the page `/me`. */
export interface OwnKeyWords {
  readonly title: string;
  readonly intro: string;
  readonly keyLabel: string;
  readonly keyHint: string;
  readonly show: string;
  readonly refresh: string;
  readonly forget: string;
  readonly loading: string;
  /** What a refusal means, by status; `other` for those that are not here, `away` where no answer came. */
  readonly problems: Readonly<Record<'401' | '403' | '429' | '503' | 'other' | 'away' | 'empty', string>>;
  readonly asOf: string;
  readonly key: string;
  readonly facts: Readonly<
    Record<'name' | 'id' | 'created' | 'expires' | 'models' | 'longest' | 'masked' | 'oldKey', string>
  >;
  readonly never: string;
  readonly none: string;
  readonly tokens: string;
  readonly limits: string;
  readonly limit: string;
  readonly used: string;
  readonly left: string;
  readonly of: string;
  readonly again: string;
  readonly limitNames: Readonly<
    Record<
      | 'requests_per_hour'
      | 'requests_per_day'
      | 'credits'
      | 'concurrency'
      | 'upload_bytes'
      | 'address_requests_per_hour',
      string
    >
  >;
  readonly noLimit: string;
  readonly usage: string;
  readonly usageNote: string;
  readonly counted: string;
  readonly today: string;
  readonly month: string;
  readonly counts: Readonly<
    Record<
      | 'requests'
      | 'successes'
      | 'errors'
      | 'masked'
      | 'left'
      | 'prompt_tokens'
      | 'completion_tokens'
      | 'estimated_tokens',
      string
    >
  >;
  readonly maskTypes: Readonly<Record<'url' | 'key' | 'ip' | 'connection', string>>;
  readonly reference: string;
  readonly otherLanguage: string;
}

const en: OwnKeyWords = {
  title: 'Your API key',
  intro:
    'See what your API key may do, what is left of its limits, and what it has used. The key is sent only to this service. This page keeps it in memory until you close or leave the page.',
  keyLabel: 'API key',
  keyHint: 'It begins with lt_live_.',
  show: 'Show my key',
  refresh: 'Refresh',
  forget: 'Forget the key',
  loading: 'Asking…',
  problems: {
    401: 'This service does not know that key. Check it for typing errors.',
    403: 'That key has expired or was revoked, or may not be used from here. Ask the operator.',
    429: 'Too many requests came from your address. Wait, then try again.',
    503: 'The service cannot answer now. Try again in a few seconds.',
    other: 'That did not work.',
    away: 'No answer came. Check your connection, then try again.',
    empty: 'Enter your API key first.',
  },
  asOf: 'As of',
  key: 'The key',
  facts: {
    name: 'Name',
    id: 'Id',
    created: 'Made',
    expires: 'Expires',
    models: 'Models',
    longest: 'Longest answer',
    masked: 'Masked in answers under /v1',
    oldKey: 'The key before this one works until',
  },
  never: 'never',
  none: 'nothing',
  tokens: 'tokens',
  limits: 'Limits',
  limit: 'Limit',
  used: 'Used',
  left: 'Left',
  of: 'Of',
  again: 'More from',
  limitNames: {
    requests_per_hour: 'Requests in an hour',
    requests_per_day: 'Requests in a day (UTC)',
    credits: 'Credits',
    concurrency: 'Requests at once',
    upload_bytes: 'Uploads',
    address_requests_per_hour: 'Requests of your address in an hour',
  },
  noLimit: 'no limit',
  usage: 'Usage',
  usageNote: 'Days begin at 00:00 UTC. New requests appear after some seconds.',
  counted: 'Counted',
  today: 'Today',
  month: 'Last 30 days',
  counts: {
    requests: 'Requests',
    successes: 'Successful',
    errors: 'Errors',
    masked: 'Answers with masked values',
    left: 'Disconnected before the answer, and charged',
    prompt_tokens: 'Prompt tokens',
    completion_tokens: 'Completion tokens',
    estimated_tokens: 'Of these tokens, estimated',
  },
  maskTypes: { url: 'URLs of APIs', key: 'keys', ip: 'IP addresses', connection: 'connection strings' },
  reference: 'API reference',
  otherLanguage: 'Bahasa Indonesia',
};

const id: OwnKeyWords = {
  title: 'Kunci API Anda',
  intro:
    'Lihat apa yang boleh dilakukan kunci API Anda, apa yang tersisa, dan apa yang sudah dipakai. Kunci hanya dikirim ke layanan ini, dan disimpan di memori halaman ini sampai Anda menutup atau meninggalkannya.',
  keyLabel: 'Kunci API',
  keyHint: 'Diawali dengan lt_live_.',
  show: 'Tampilkan kunci saya',
  refresh: 'Muat ulang',
  forget: 'Lupakan kunci',
  loading: 'Sedang menanyakan…',
  problems: {
    401: 'Layanan ini tidak mengenal kunci itu. Periksa salah ketik.',
    403: 'Kunci itu sudah berakhir, atau tidak boleh dipakai dari sini. Tanyakan kepada operator.',
    429: 'Terlalu banyak permintaan dari alamat Anda. Tunggu, lalu coba lagi.',
    503: 'Layanan belum bisa menjawab. Coba lagi beberapa detik lagi.',
    other: 'Tidak berhasil.',
    away: 'Tidak ada jawaban. Periksa koneksi Anda, lalu coba lagi.',
    empty: 'Masukkan kunci API Anda dulu.',
  },
  asOf: 'Per',
  key: 'Kunci',
  facts: {
    name: 'Nama',
    id: 'Id',
    created: 'Dibuat',
    expires: 'Berakhir',
    models: 'Model',
    longest: 'Jawaban terpanjang',
    masked: 'Disamarkan dalam jawaban di /v1',
    oldKey: 'Kunci sebelumnya berlaku sampai',
  },
  never: 'tidak pernah',
  none: 'tidak ada',
  tokens: 'token',
  limits: 'Batas',
  limit: 'Batas',
  used: 'Terpakai',
  left: 'Sisa',
  of: 'Dari',
  again: 'Bertambah mulai',
  limitNames: {
    requests_per_hour: 'Permintaan per jam',
    requests_per_day: 'Permintaan per hari (UTC)',
    credits: 'Kredit',
    concurrency: 'Permintaan sekaligus',
    upload_bytes: 'Unggahan',
    address_requests_per_hour: 'Permintaan dari alamat Anda per jam',
  },
  noLimit: 'tanpa batas',
  usage: 'Pemakaian',
  usageNote: 'Hari dimulai pukul 00.00 UTC. Permintaan baru muncul setelah beberapa detik.',
  counted: 'Yang dihitung',
  today: 'Hari ini',
  month: '30 hari terakhir',
  counts: {
    requests: 'Permintaan',
    successes: 'Berhasil',
    errors: 'Kesalahan',
    masked: 'Jawaban dengan nilai yang disamarkan',
    left: 'Ditinggalkan sebelum dijawab, dan dibayar',
    prompt_tokens: 'Token prompt',
    completion_tokens: 'Token jawaban',
    estimated_tokens: 'Di antaranya token perkiraan',
  },
  maskTypes: { url: 'URL API', key: 'kunci', ip: 'alamat IP', connection: 'string koneksi' },
  reference: 'Referensi API',
  otherLanguage: 'English',
};

export const OWN_KEY_WORDS: Readonly<Record<OwnKeyLanguage, OwnKeyWords>> = { en, id };
