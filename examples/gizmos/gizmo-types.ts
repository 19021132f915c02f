// Made by crd-to-types from gizmos.example.com.
import type { ApiObject, ResourceType } from '@orch/client';

export interface GizmoV1 extends ApiObject {
  spec: GizmoV1Spec;
  status?: GizmoV1Status;
}

export interface GizmoV1Spec {
  color?: 'red' | 'green' | 'blue';
  labels?: Record<string, string>;
  /** How large it is, in millimetres. */
  size: number;
}

export interface GizmoV1Status {
  phase?: string;
}

/** gizmos.example.com in version v1. */
export const gizmosV1: ResourceType<GizmoV1> = {
  group: 'example.com',
  version: 'v1',
  plural: 'gizmos',
  kind: 'Gizmo',
  namespaced: true,
};
