package owner

import (
	"errors"
	"strconv"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

func machine() string {
	const access = registry.QUERY_VALUE | registry.WOW64_64KEY
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, access)
	if err != nil {
		return ""
	}
	defer key.Close()
	id, _, err := key.GetStringValue("MachineGuid")
	if err != nil {
		return ""
	}
	return digest(id)
}

// boot is constant where the machine is known: the start of a process is a time of day here, which
// tells processes of different boots apart.
func boot() string {
	if machine() == "" {
		return ""
	}
	return "any"
}

// namespace is constant: the system has one for all processes.
func namespace() string { return "1" }

// stillActive is the exit code of a process that has none yet.
const stillActive = 259

// started returns when a process started, in the units of the system, and whether it runs.
func started(pid int) (start string, state State) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return "", Ended
	}
	if err != nil {
		return "", Alive
	}
	defer windows.CloseHandle(process)
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return "", Alive
	}
	start = strconv.FormatInt(created.Nanoseconds(), 10)
	var code uint32
	if err := windows.GetExitCodeProcess(process, &code); err == nil && code != stillActive {
		return start, Ended
	}
	return start, Alive
}
