import { z } from 'zod';

/** Names that callers may ask for: as the names of others have them, and nothing that a list, a URL or a log takes apart. */
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$/;

/** The public name of a model, wherever it is stored or sent. Which there are, the catalog says. */
export const modelNameSchema = z.string().regex(MODEL_NAME);

/** The label of models beyond those that have one of their own. */
export const OTHER_MODELS = 'other';
/** How many models one process tells apart in its metrics: each has some twenty time series. */
const MOST_LABELS = 100;

/**
 * Gives models their label in metrics: the first hundred that are asked for have their own, for as long as the process
 * lives; the others share one. A file may have ten thousand models, and may be edited every minute.
 */
export function createModelLabels(): (model: string) => string {
  const labels = new Set<string>();
  return (model) => {
    if (labels.has(model)) return model;
    if (labels.size >= MOST_LABELS) return OTHER_MODELS;
    labels.add(model);
    return model;
  };
}
