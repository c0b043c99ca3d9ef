import { catalog } from './language.ts';

/** The words of the upstreams on the overview. */
export const upstreams = catalog({
  en: {
    title: 'Upstreams',
    states: { closed: '● up', open: '✕ gets no calls', 'half-open': '◌ being tried' },
    inFlight: (count: string) => `${count} in flight`,
    another: (span: string) => `another ${span}`,
    leftAlone: (span: string) => `left alone for ${span}`,
    more: (count: string) => `${count} others: see Models`,
  },
  id: {
    title: 'Upstream',
    states: { closed: '● aktif', open: '✕ tidak diberi panggilan', 'half-open': '◌ sedang dicoba' },
    inFlight: (count: string) => `${count} sedang berjalan`,
    another: (span: string) => `${span} lagi`,
    leftAlone: (span: string) => `dibiarkan selama ${span}`,
    more: (count: string) => `${count} lainnya: lihat Model`,
  },
});
