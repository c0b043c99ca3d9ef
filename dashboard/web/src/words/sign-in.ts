import { catalog } from './language.ts';

/** What an operator sees before signing in. Commands and names of settings are put in between the parts of a sentence. */
export const signIn = catalog({
  en: {
    title: 'Sign in to the dashboard',
    how: (link: string, setting: string) =>
      `Print a fresh sign-in link with ${link}, or enter the dashboard token (${setting}).`,
    where: (npm: string, docker: string) => `After npm start the command is ${npm}, with Docker ${docker}.`,
    token: 'Dashboard token',
    signIn: 'Sign in',
    callers: (start: string, reference: string) => `For callers: ${start} and ${reference}.`,
    quickStart: 'quick start',
    apiReference: 'API reference',
    linkUsed: 'This sign-in link was used already, or is older than 10 minutes.',
    wrong: 'This is not the dashboard token.',
    tooMany: (seconds: string) =>
      `Too many tries to sign in. Wait ${seconds} s, or take a link: "lontar dashboard" prints one.`,
    noAnswer: 'The server does not answer.',
  },
  id: {
    title: 'Masuk ke dasbor',
    how: (link, setting) => `Cetak tautan masuk baru dengan ${link}, atau masukkan token dasbor (${setting}).`,
    where: (npm, docker) => `Setelah npm start perintahnya ${npm}, dengan Docker ${docker}.`,
    token: 'Token dasbor',
    signIn: 'Masuk',
    callers: (start, reference) => `Untuk pemanggil: ${start} dan ${reference}.`,
    quickStart: 'mulai cepat',
    apiReference: 'referensi API',
    linkUsed: 'Tautan masuk ini sudah dipakai, atau lebih tua dari 10 menit.',
    wrong: 'Ini bukan token dasbor.',
    tooMany: (seconds) =>
      `Terlalu banyak percobaan masuk. Tunggu ${seconds} detik, atau pakai tautan: "lontar dashboard" mencetaknya.`,
    noAnswer: 'Server tidak menjawab.',
  },
});
