/** A pod of about 3 KB in its stored form, similar to one that a deployment makes. */
export function pod(n: number): object {
  const container = (name: string): object => ({
    name,
    image: `registry.example.com/team/${name}:1.${n % 10}.0`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: Array.from({ length: 2 }, (_, i) => ({ name: `SETTING_${i}`, value: `value-${n}-${i}-of-some-length` })),
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/config', readOnly: true },
      { name: 'data', mountPath: '/var/lib/data' },
    ],
    livenessProbe: { httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 1 },
    readinessProbe: { httpGet: { path: '/readyz', port: 8080, scheme: 'HTTP' }, periodSeconds: 5, timeoutSeconds: 1 },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${String(n).padStart(5, '0')}`,
      labels: { app: `app-${n % 100}`, tier: n % 2 === 0 ? 'front' : 'back', 'pod-template-hash': `hash${n % 50}` },
      annotations: { 'example.com/checksum': 'a'.repeat(64) },
    },
    spec: {
      automountServiceAccountToken: false,
      containers: [container('main')],
      volumes: [
        { name: 'config', configMap: { name: `config-${n % 20}`, defaultMode: 420 } },
        { name: 'data', emptyDir: {} },
      ],
      nodeName: `node-${n % 50}`,
      terminationGracePeriodSeconds: 0,
    },
  };
}
