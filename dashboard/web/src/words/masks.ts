import { catalog } from './language.ts';

/** What masks are called, and what a copy says of them. */
export const masks = catalog({
  en: {
    names: {
      '***API_SERVER***': 'API server',
      '***API_KEY***': 'API key',
      '***IP_ADDRESS***': 'IP address',
      '***DB_CONNECTION***': 'Database connection',
    },
    chip: (name: string) => `${name}, masked`,
    copied: 'Copied',
    copiedOne: 'Copied; 1 secret stays masked',
    copiedMany: (masks: string) => `Copied; ${masks} secrets stay masked`,
    notAllowed: 'The browser does not allow copying; select the text and copy it by hand',
  },
  id: {
    names: {
      '***API_SERVER***': 'Server API',
      '***API_KEY***': 'Kunci API',
      '***IP_ADDRESS***': 'Alamat IP',
      '***DB_CONNECTION***': 'Koneksi basis data',
    },
    chip: (name: string) => `${name}, disamarkan`,
    copied: 'Disalin',
    copiedOne: 'Disalin; 1 rahasia tetap disamarkan',
    copiedMany: (masks: string) => `Disalin; ${masks} rahasia tetap disamarkan`,
    notAllowed: 'Peramban tidak mengizinkan penyalinan; pilih teksnya dan salin sendiri',
  },
});
