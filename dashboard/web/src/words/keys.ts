import { catalog } from './language.ts';

/** The page of keys. */
export const keys = catalog({
  en: {
    title: 'Keys',
    name: 'Name',
    owner: 'Owner',
    state: 'State',
    lastUsed: 'Last used',
    states: { active: 'Active', expired: 'Expired', revoked: 'Revoked' },
    never: 'never',
    none: 'No key yet',
    noneWhy: 'A key is made with lontar keys create --name NAME; it then stands here.',
  },
  id: {
    title: 'Kunci',
    name: 'Nama',
    owner: 'Pemilik',
    state: 'Keadaan',
    lastUsed: 'Terakhir dipakai',
    states: { active: 'Aktif', expired: 'Kedaluwarsa', revoked: 'Dicabut' },
    never: 'belum pernah',
    none: 'Belum ada kunci',
    noneWhy: 'Kunci dibuat dengan lontar keys create --name NAMA; lalu muncul di sini.',
  },
});
