import { mean, sum } from '../gauges/figures';
import type { DeviceModel, HostDevices } from '../protocol/messages';

/** A GPU and the slices it is divided into. */
export interface IHostGpu {
  readonly device: DeviceModel;
  readonly slices: readonly DeviceModel[];
}

/** The GPUs, each with its slices. */
export function hostGpus(devices: readonly DeviceModel[]): readonly IHostGpu[] {
  const uuids = new Set(devices.map(device => device.uuid));
  const isSlice = (device: DeviceModel): boolean =>
    device.parent_uuid !== null && uuids.has(device.parent_uuid);
  return devices
    .filter(device => !isSlice(device))
    .map(device => ({
      device,
      slices: devices.filter(slice => isSlice(slice) && slice.parent_uuid === device.uuid)
    }));
}

/** What all GPUs that programs may use have in common; null: not measured. */
export interface IHostTotals {
  readonly nGpus: number;
  readonly nUnreadable: number;
  readonly used: number | null;
  readonly total: number | null;
  readonly utilization: number | null;
}

/** Sums over the GPUs that CUDA_VISIBLE_DEVICES allows; over all where it allows none. */
export function hostTotals(host: HostDevices): IHostTotals {
  const all = hostGpus(host.devices);
  const visible = all.filter(
    ({ device, slices }) => device.visible || slices.some(slice => slice.visible)
  );
  const gpus = (visible.length > 0 ? visible : all).map(({ device }) => device);
  const memory = gpus.filter(gpu => gpu.memory_used_bytes !== null && gpu.memory_total_bytes);
  return {
    nGpus: gpus.length,
    nUnreadable: gpus.filter(gpu => gpu.error !== null).length,
    used: sum(memory.map(gpu => gpu.memory_used_bytes)),
    total: sum(memory.map(gpu => gpu.memory_total_bytes)),
    utilization: mean(gpus.map(gpu => gpu.utilization_percent))
  };
}
