import type { CatalogSource, ModelCatalog } from '@lontar/shared/models/catalog.ts';
import type { MaskOptions } from '../masking/compile-rules.ts';
import { createMasker, type Masker } from '../masking/mask.ts';

/**
 * A masker that knows the secrets and hosts of the catalog in force. What it is asked for begins and ends with the
 * rules of that moment: nothing is compiled again for a request.
 */
export function followingMasker(
  source: Pick<CatalogSource, 'current' | 'onChange'>,
  optionsOf: (catalog: ModelCatalog) => MaskOptions,
): Masker {
  let masker = createMasker(optionsOf(source.current));
  source.onChange((catalog) => {
    masker = createMasker(optionsOf(catalog));
  });
  return {
    mask: (text) => masker.mask(text),
    maskInSlices: (text) => masker.maskInSlices(text),
    maskBeginning: (text, wanted) => masker.maskBeginning(text, wanted),
    createStream: () => masker.createStream(),
    createPieces: () => masker.createPieces(),
    withPolicy: (policy) => masker.withPolicy(policy),
    valuesInSlices: (text) => masker.valuesInSlices(text),
  };
}
