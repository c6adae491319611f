import type { IEnvironment } from '../actions/environment';
import type { IClusterManager, IOffer } from '../clusters/tokens';
import type { OfferedPreset } from '../protocol/messages';

/** The preset that the form starts with: the wanted one, where this machine can have it. */
export function startingPreset(offer: IOffer, wanted: string): OfferedPreset | undefined {
  const usable = offer.presets.filter(preset => !preset.needs_gpu || offer.devices.available);
  return usable.find(preset => preset.name === wanted) ?? usable[0];
}

/** The kind of cluster that a preset is about, as far as there is such a kind. */
export function backendOf(offer: IOffer, preset: OfferedPreset | undefined): string {
  const wanted = preset?.spec.backend;
  return typeof wanted === 'string' && wanted in offer.backends
    ? wanted
    : (Object.keys(offer.backends)[0] ?? 'auto');
}

/** Create what the form would ask for if nothing were changed in it. */
export async function createAtOnce(
  manager: IClusterManager,
  environment: IEnvironment,
  wanted: string
): Promise<void> {
  const kernel = environment.activeKernel()?.name;
  const offer = await manager.offer(kernel);
  const preset = startingPreset(offer, wanted);
  await manager.create({
    kernel_name: kernel,
    ...preset?.spec,
    backend: backendOf(offer, preset)
  });
}
